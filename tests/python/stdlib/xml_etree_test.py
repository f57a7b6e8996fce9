import copy
import io
import xml.etree.ElementTree as ET

text = """<?xml version="1.0"?>
<!DOCTYPE annotation [<!ENTITY who "nobody &amp; co">]>
<annotation verified="yes" xmlns:x="http://x.org/">
  <!-- a comment -->
  <folder>VOC &lt;2012&gt;</folder>
  <filename>a.jpg</filename><?target do it?>
  <object id="1"><name>cat</name><bndbox><xmin>1</xmin><xmax>5</xmax></bndbox></object>
  <object id="2" x:kind='large "one"'><name>dog</name>tail text<bndbox><xmin>7</xmin></bndbox></object>
  <note><![CDATA[a < b && c]]> by &who; &#233;&#x263a;</note>
  <x:empty/>
</annotation>
"""
root = ET.fromstring(text)
print(root.tag, root.attrib, len(root), [child.tag for child in root])
print(root.find("folder").text, root.findtext("filename"), root.findtext("none", "default"), root.find("none"))
for one in root.findall("object"):
    print(one.get("id"), one.find("name").text, one.findtext("bndbox/xmin"), one.attrib)
print(root.find("note").text, [one.text for one in root.iter("xmin")], "".join(root.find("object[2]").itertext()))
for path in (".", "*", ".//xmin", "object/name", "object[@id]", "object[@id='2']/name", "object[@id!='2']", "object[name='dog']", "object[last()]", "object[last()-1]", "object[1]", ".//bndbox/..", "{http://x.org/}empty", "{*}empty", "x:empty", "object[bndbox]", ".//name[.='cat']", "./object//xmin", "{http://x.org/}*"):
    print(path, [one.tag for one in root.findall(path, {"x": "http://x.org/"})])
for path in ("/a", "object[0]", "y:a"):
    try:
        print(path, root.findall(path))
    except (SyntaxError, StopIteration) as error:
        print(path, type(error).__name__)
made = ET.Element("root", {"a": "1"}, b="<&\">\n")
child = ET.SubElement(made, "child")
child.text, child.tail = "té <xt>", " tail & more"
made.append(ET.Comment(" note "))
made.insert(0, ET.Element("first"))
made.append(ET.ProcessingInstruction("go", "now"))
ET.SubElement(made, "{http://ns.org/}q", {"{http://ns.org/}k": "v", "{http://www.w3.org/XML/1998/namespace}lang": "en"})
print(ET.tostring(made))
print(ET.tostring(made, encoding="unicode", short_empty_elements=False))
print(ET.tostring(made, encoding="utf-8"), ET.tostring(ET.Element("a"), encoding="utf-8", xml_declaration=True), ET.tostring(made, method="text", encoding="unicode"))
print(ET.tostring(ET.fromstring("<p>a<br/>b<script>1 &lt; 2</script></p>"), method="html"))
ET.register_namespace("own", "http://ns.org/")
print(ET.tostring(made, encoding="unicode"), ET.tostring(ET.Element("{u}a"), default_namespace="u"))
ET.indent(made, space=" ")
ET.dump(made)
made.remove(child)
made[0:2] = [ET.Element("only")]
del made[-1]
made.set("c", "3")
print([one.tag if isinstance(one.tag, str) else "other" for one in made], made.items(), list(made.keys()), made.get("none", 5))
twin = copy.deepcopy(root)
twin.find("folder").text = "changed"
print(root.find("folder").text, twin.find("folder").text, ET.iselement(twin), ET.QName("u", "t"), ET.QName("{u}t") == "{u}t")
stream = io.BytesIO()
ET.ElementTree(made).write(stream, encoding="utf-8", xml_declaration=True)
print(stream.getvalue(), ET.parse(io.BytesIO(stream.getvalue())).getroot().tag)
print([(event, getattr(one, "tag", one)) for event, one in ET.iterparse(io.StringIO("<a xmlns='u'><b>1</b><c/></a>"), events=("start", "end", "start-ns", "end-ns"))])
pull = ET.XMLPullParser(["end"])
for piece in ("<log><e", "ntry>1</en", "try><entry>2"):
    pull.feed(piece)
    print([(event, one.tag, one.text) for event, one in pull.read_events()])
class Target:
    def __init__(self):
        self.depth = self.most = 0

    def start(self, tag, attributes):
        self.depth += 1
        self.most = max(self.most, self.depth)

    def end(self, tag):
        self.depth -= 1

    def close(self):
        return self.most


print(ET.fromstring("<a><b><c/></b></a>", ET.XMLParser(target=Target())), ET.XMLID("<a id='x'><b id='y'/></a>")[1].keys())
print(ET.fromstring("<a b='1\n2\t3'>x\r\ny</a>").attrib, repr(ET.fromstring("<a>x\r\ny\rz</a>").text), ET.fromstring(b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>").text)
for wrong in ("", "<a>", "<a></b>", "<a/><b/>", "<a b=1/>", "<a b='1' b='2'/>", "<a>&none;</a>", "<a>&</a>", "text", "<a>\x01</a>", "<x:a/>", "<a><!-- -- --></a>", "<a", "<a>]]></a>", "<a b='<'/>", "<1/>", "</a>", "<a>\n  <b>\n</a>", "<a/>text", "<a>&#0;</a>", "<a b/>", "< a/>", "<a>&amp</a>", "<a><![CDATA[x</a>"):
    try:
        print(repr(wrong), ET.fromstring(wrong))
    except ET.ParseError as error:
        print(repr(wrong), error, error.code, error.position)
for call in (lambda: ET.Element("a").append("x"), lambda: ET.Element("a").remove(ET.Element("b")), lambda: ET.tostring(ET.Element("a", {"x": 1})), lambda: ET.register_namespace("ns1", "u"), lambda: ET.XMLPullParser(["x"])):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
