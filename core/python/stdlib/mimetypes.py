"""Kinds of files by their names. Behaviour: CPython 3.14, Lib/mimetypes.py; the machine's own tables are not read."""
import os as _os
from urllib.parse import urlsplit as _urlsplit

__all__ = ["knownfiles", "inited", "MimeTypes", "guess_type", "guess_file_type", "guess_all_extensions", "guess_extension",
           "add_type", "init", "read_mime_types", "suffix_map", "encodings_map", "types_map", "common_types"]
knownfiles = []
inited = False
_SUFFIXES = {".svgz": ".svg.gz", ".tgz": ".tar.gz", ".taz": ".tar.gz", ".tz": ".tar.gz", ".tbz2": ".tar.bz2", ".txz": ".tar.xz"}
_ENCODINGS = {".gz": "gzip", ".Z": "compress", ".bz2": "bzip2", ".xz": "xz", ".br": "br"}
# The registry of IANA, and what is usual: kind, then its endings, the preferred one first.
_KINDS = """
application/json:json application/manifest+json:webmanifest application/msword:doc,dot,wiz
application/n-quads:nq application/n-triples:nt application/octet-stream:bin,a,dll,exe,o,obj,so application/oda:oda
application/ogg:ogx application/pdf:pdf application/pkcs7-mime:p7c application/postscript:ps,ai,eps application/rtf:rtf
application/toml:toml application/trig:trig application/vnd.apple.mpegurl:m3u,m3u8 application/vnd.ms-excel:xls,xlb
application/vnd.ms-fontobject:eot application/vnd.ms-powerpoint:ppt,pot,ppa,pps,pwz
application/vnd.oasis.opendocument.graphics:odg application/vnd.oasis.opendocument.presentation:odp
application/vnd.oasis.opendocument.spreadsheet:ods application/vnd.oasis.opendocument.text:odt
application/vnd.openxmlformats-officedocument.presentationml.presentation:pptx
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet:xlsx
application/vnd.openxmlformats-officedocument.wordprocessingml.document:docx application/vnd.rar:rar application/wasm:wasm
application/x-7z-compressed:7z application/x-bcpio:bcpio application/x-cpio:cpio application/x-csh:csh
application/x-debian-package:deb application/x-dvi:dvi application/x-gtar:gtar application/x-hdf:hdf application/x-hdf5:h5
application/x-httpd-php:php application/x-latex:latex application/x-mif:mif application/x-netcdf:cdf,nc
application/x-pkcs12:p12,pfx application/x-pn-realaudio:ram application/x-python-code:pyc,pyo application/x-rpm:rpm
application/x-sh:sh application/x-shar:shar application/x-shockwave-flash:swf application/x-sv4cpio:sv4cpio
application/x-sv4crc:sv4crc application/x-tar:tar application/x-tcl:tcl application/x-tex:tex
application/x-texinfo:texi,texinfo application/x-troff:roff,t,tr application/x-troff-man:man application/x-troff-me:me
application/x-troff-ms:ms application/x-ustar:ustar application/x-wais-source:src application/xml:xsl,rdf,wsdl,xpdl
application/yaml:yaml,yml application/zip:zip audio/aac:adts,aac,ass audio/basic:au,snd audio/flac:flac
audio/matroska:mka audio/mp4:m4a audio/mpeg:mp3,mp2 audio/ogg:ogg audio/opus:opus audio/vnd.wave:wav audio/x-aiff:aif,aifc,aiff
audio/x-pn-realaudio:ra font/collection:ttc font/otf:otf font/ttf:ttf font/woff:woff font/woff2:woff2 image/avif:avif
image/bmp:bmp image/emf:emf image/fits:fits image/g3fax:g3 image/gif:gif image/heic:heic image/heif:heif image/ief:ief
image/jp2:jp2 image/jpeg:jpg,jpe,jpeg image/jpm:jpm image/jpx:jpx image/png:png image/svg+xml:svg image/t38:t38
image/tiff:tiff,tif image/tiff-fx:tfx image/vnd.microsoft.icon:ico image/webp:webp image/wmf:wmf image/x-cmu-raster:ras
image/x-portable-anymap:pnm image/x-portable-bitmap:pbm image/x-portable-graymap:pgm image/x-portable-pixmap:ppm
image/x-rgb:rgb image/x-xbitmap:xbm image/x-xpixmap:xpm image/x-xwindowdump:xwd message/rfc822:eml,mht,mhtml,nws
model/gltf+json:gltf model/gltf-binary:glb model/stl:stl text/css:css text/csv:csv text/html:html,htm text/javascript:js,mjs
text/markdown:md,markdown text/n3:n3 text/plain:txt,bat,c,h,ksh,pl,srt text/richtext:rtx
text/tab-separated-values:tsv text/vtt:vtt text/x-python:py text/x-rst:rst text/x-setext:etx text/x-sgml:sgm,sgml
text/x-vcard:vcf text/xml:xml video/3gpp:3gp video/3gpp2:3g2 video/matroska:mkv video/matroska-3d:mk3d video/mp4:mp4
video/mpeg:mpeg,m1v,mpa,mpe,mpg video/ogg:ogv video/quicktime:mov,qt video/vnd.avi:avi video/webm:webm video/x-m4v:m4v
video/x-ms-wmv:wmv video/x-sgi-movie:movie
"""


def _table():
    made = {}
    for one in _KINDS.split():
        kind, _, endings = one.partition(":")
        for ending in endings.split(","):
            made["." + ending] = kind
    return made


_TYPES = _table()
_COMMON = {".rtf": "application/rtf", ".midi": "audio/midi", ".mid": "audio/midi", ".jpg": "image/jpg", ".pict": "image/pict",
           ".pct": "image/pict", ".pic": "image/pict", ".webp": "image/webp", ".xul": "text/xul"}
suffix_map, encodings_map, types_map, common_types = dict(_SUFFIXES), dict(_ENCODINGS), dict(_TYPES), dict(_COMMON)


class MimeTypes:
    """A table of endings and kinds; [1] of each pair is what the registry has, [0] what is usual besides."""

    def __init__(self, filenames=(), strict=True):
        self.encodings_map, self.suffix_map = dict(encodings_map), dict(suffix_map)
        self.types_map, self.types_map_inv = ({}, {}), ({}, {})
        for ending, kind in types_map.items():
            self.add_type(kind, ending, True)
        for ending, kind in common_types.items():
            self.add_type(kind, ending, False)
        for name in filenames:
            self.read(name, strict)

    def add_type(self, type, ext, strict=True):
        if not type:
            return
        self.types_map[strict][ext] = type
        endings = self.types_map_inv[strict].setdefault(type, [])
        if ext not in endings:
            endings.append(ext)

    def guess_type(self, url, strict=True):
        """(kind, encoding) of an address or a name; None for what is not known."""
        url = _os.fspath(url)
        found = _urlsplit(url)
        if found.scheme == "data":
            comma = found.path.find(",")
            if comma < 0:
                return None, None
            kind = found.path[:comma].partition(";")[0]
            return ("text/plain" if "=" in kind or "/" not in kind else kind), None
        if found.scheme and len(found.scheme) > 1:
            return self._guess(found.path, strict)
        return self.guess_file_type(url, strict=strict)

    def guess_file_type(self, path, *, strict=True):
        return self._guess(_os.fsdecode(_os.fspath(path)) if isinstance(path, bytes) else _os.fspath(path), strict)

    def _guess(self, path, strict):
        base, ending = _os.path.splitext(path)
        while ending.lower() in self.suffix_map:
            base, ending = _os.path.splitext(base + self.suffix_map[ending.lower()])
        encoding = None
        if ending in self.encodings_map:
            encoding = self.encodings_map[ending]
            base, ending = _os.path.splitext(base)
        ending = ending.lower()
        if ending in self.types_map[True]:
            return self.types_map[True][ending], encoding
        return (None if strict else self.types_map[False].get(ending)), encoding

    def guess_all_extensions(self, type, strict=True):
        type = type.lower()
        found = list(self.types_map_inv[True].get(type, []))
        if not strict:
            found += [one for one in self.types_map_inv[False].get(type, []) if one not in found]
        return found

    def guess_extension(self, type, strict=True):
        found = self.guess_all_extensions(type, strict)
        return found[0] if found else None

    def read(self, filename, strict=True):
        with open(filename, encoding="utf-8") as file:
            self.readfp(file, strict)

    def readfp(self, fp, strict=True):
        """Lines of a kind and its endings."""
        for line in fp:
            kind, *endings = line.partition("#")[0].split() or [""]
            for ending in endings:
                self.add_type(kind, "." + ending, strict)


_db = None


def init(files=None):
    """Makes the table anew."""
    global _db, inited, encodings_map, suffix_map, types_map, common_types
    inited = True
    made = MimeTypes(files or ())
    encodings_map, suffix_map = made.encodings_map, made.suffix_map
    types_map, common_types = made.types_map[True], made.types_map[False]
    _db = made


def _table_of_all():
    if _db is None:
        init()
    return _db


def guess_type(url, strict=True):
    return _table_of_all().guess_type(url, strict)


def guess_file_type(path, *, strict=True):
    return _table_of_all().guess_file_type(path, strict=strict)


def guess_all_extensions(type, strict=True):
    return _table_of_all().guess_all_extensions(type, strict)


def guess_extension(type, strict=True):
    return _table_of_all().guess_extension(type, strict)


def add_type(type, ext, strict=True):
    return _table_of_all().add_type(type, ext, strict)


def read_mime_types(file):
    """The endings of such a file, None if it cannot be read."""
    try:
        with open(file, encoding="utf-8") as opened:
            made = MimeTypes()
            made.readfp(opened, True)
            return made.types_map[True]
    except OSError:
        return None
