import xml.etree.ElementTree as ET
from xml.dom import minidom
from xml.parsers.expat import ExpatError

root = ET.Element("annotation")
ET.SubElement(root, "size", width="3").text = "a & b"
ET.SubElement(ET.SubElement(root, "object"), "name").text = "cat"
print(minidom.parseString(ET.tostring(root)).toprettyxml(indent="  "))
document = minidom.parseString("<!-- top --><a x='1' y='&quot;'>text<b k='v'/><b>two</b><?go now?><![CDATA[<raw>]]></a>")
print(document.toxml(), document.documentElement.toxml(), document.toprettyxml(encoding="utf-8"))
first = document.documentElement
print(first.tagName, first.getAttribute("x"), repr(first.getAttribute("none")), first.hasAttribute("y"), first.attributes.items(), first.attributes["x"].value)
print([one.nodeName for one in first.childNodes], [one.toxml() for one in document.getElementsByTagName("b")], first.firstChild.data, first.firstChild.nextSibling.getAttribute("k"))
print(first.getElementsByTagName("b")[1].firstChild.nodeValue, first.nodeType == first.ELEMENT_NODE, document.getElementsByTagName("*").__len__())
made = minidom.Document()
top = made.createElement("top")
made.appendChild(top)
leaf = made.createElement("leaf")
leaf.setAttribute("n", "<1>")
leaf.appendChild(made.createTextNode("x < y"))
top.appendChild(leaf)
top.appendChild(leaf.cloneNode(True))
top.insertBefore(made.createComment("note"), leaf)
top.removeChild(top.lastChild)
print(made.toprettyxml(indent=" ", newl="|"), made.toxml("ascii"), made.toxml(encoding="utf-8", standalone=True))
for wrong in ("<a>", "<a></b>", ""):
    try:
        minidom.parseString(wrong)
    except ExpatError as error:
        print(error, error.code, error.lineno, error.offset)
