from html.parser import HTMLParser


class Shown(HTMLParser):
    def told(self, *what):
        print(*what, self.getpos())

    def handle_starttag(self, tag, attrs):
        self.told("start", tag, attrs, repr(self.get_starttag_text()))

    def handle_endtag(self, tag):
        self.told("end", tag)

    def handle_data(self, data):
        self.told("data", repr(data))

    def handle_comment(self, data):
        self.told("comment", repr(data))

    def handle_decl(self, decl):
        self.told("decl", repr(decl))

    def handle_pi(self, data):
        self.told("pi", repr(data))

    def handle_entityref(self, name):
        self.told("entity", name)

    def handle_charref(self, name):
        self.told("number", name)


page = """<!DOCTYPE html>
<html><head><TITLE>A page</TITLE><style>a > b { c }</style></head>
<body class="x y" id=main data-empty="" hidden><!-- a note -->
<p>One &lt; two &amp; &#233; &copy;</p><br/><img src='a.png' alt="A &quot;b&quot;" />
<script>if (a < b && c) { x = "</p>"; }</script>
<a href=x?y=1&z=2>link</a><?php echo ?>
</body></html>
"""
parser = Shown()
parser.feed(page)
parser.close()
print("in pieces")
parser = Shown()
for piece in ("<p cl", "ass='a'>te", "xt</", "p>&am", "p; end"):
    parser.feed(piece)
parser.close()
print("references apart")
parser = Shown(convert_charrefs=False)
parser.feed("a &lt; b &#65; & c &nbsp;<b>x</b>")
parser.close()


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self.links.append(dict(attrs).get("href"))


links = Links()
links.feed("<ul><li><a href='one.html'>1</a><li><A HREF=\"two.html\">2</A></ul>")
print(links.links)
