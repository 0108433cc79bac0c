"""Text from the program as C++ literals, comments and names that can mean nothing else, whatever it contains."""

from __future__ import annotations

import re

from guardgen.emit.literals import comment, identifier

KEYWORDS = """
alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch
char char8_t char16_t char32_t class compl concept const consteval constexpr constinit const_cast continue co_await
co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern false float for
friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
public reflexpr register reinterpret_cast requires return short signed sizeof static static_assert static_cast
struct switch synchronized template this thread_local throw true try typedef typeid typename union unsigned using
virtual void volatile wchar_t while xor xor_eq final override import module
"""
MACROS = """
I assert bit_and bit_or errno far foreach i386 interface isfinite isinf isnan isnormal linux major makedev max min
minor near offsetof setjmp signals signbit slots stderr stdin stdout unix va_arg va_copy va_end va_start emit
"""  # of the standard library, of platforms and of frameworks
TAKEN = frozenset([*KEYWORDS.split(), *MACROS.split()])


def cpp_comment(text: str, indent: int = 0) -> str:
    """One line: neither a backslash at its end nor the trigraph of one joins the next line to it."""
    line = comment(text, indent + 1).encode("ascii", "backslashreplace").decode().replace("??", "? ?")
    return f"{line}." if line.endswith("\\") else line


def cpp_string(text: str) -> str:
    """A string literal with the UTF-8 bytes of `text`; what is not printable ASCII is in octal digits."""
    data = text.encode("utf-8", "surrogatepass")
    return '"' + "".join(map(escaped, data)) + '"'


def escaped(byte: int) -> str:
    char = chr(byte)
    if char in '"\\?':
        return f"\\{char}"  # a question mark could begin a trigraph
    return char if char.isprintable() and char.isascii() else f"\\{byte:03o}"


def string_view(text: str) -> str:
    """An expression of type `std::string_view`, NULs included."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return f"std::string_view({cpp_string(text)}, {size})"


def cpp_identifier(text: str) -> str:
    """A name for `text` that no keyword, macro or reserved name is."""
    name = identifier(text)
    shouted = len(name) > 1 and name.upper() == name
    return f"{name}_" if name in TAKEN or shouted else name


def folder_of_names(text: str) -> str:
    """A name of a namespace, another one for every text: letters that C++ does not take are written as numbers."""
    name = re.sub(r"[^A-Za-z0-9_]|^_|(?<=_)_|_$", lambda found: f"u{ord(found[0]):x}", text)
    return cpp_identifier(name if name and not name[0].isdigit() else f"x{name}")
