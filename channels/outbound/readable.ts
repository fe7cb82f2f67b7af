import { Parser } from "htmlparser2"

/** Elements that are not part of a page's text. */
const UNREAD = new Set(["script", "style", "noscript", "template", "svg", "nav", "footer", "form", "iframe", "head"])
const BREAKS = new Set([
  "p",
  "div",
  "br",
  "li",
  "tr",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "section",
  "article",
  "blockquote",
  "pre",
  "table",
  "ul",
  "ol",
  "dd",
  "dt",
  "figcaption",
  "main",
  "header",
  "hr"
])

export interface Readable {
  readonly title: string | null
  readonly text: string
}

/** The text of an HTML page, one paragraph per line. Nothing in it is executed, followed or fetched. */
export const readableText = (html: string): Readable => {
  const title: Array<string> = []
  const text: Array<string> = []
  const open: Array<string> = []
  let unread = 0
  const parser = new Parser({
    onopentagname: (name) => {
      open.push(name)
      if (UNREAD.has(name)) unread++
      if (BREAKS.has(name)) text.push("\n")
    },
    onclosetag: (name) => {
      open.pop()
      if (UNREAD.has(name)) unread--
      if (BREAKS.has(name)) text.push("\n")
    },
    ontext: (data) => {
      if (open.at(-1) === "title") title.push(data)
      else if (unread === 0) text.push(data.replace(/\s+/g, " "))
    }
  })
  parser.end(html)
  const lines = text
    .join("")
    .split("\n")
    .map((line) => line.replace(/ +/g, " ").trim())
    .filter((line) => line !== "")
  const name = title.join("").replace(/\s+/g, " ").trim().slice(0, 200)
  return { title: name === "" ? null : name, text: lines.join("\n") }
}
