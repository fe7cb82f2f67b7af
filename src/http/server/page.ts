import { createHash } from "node:crypto"

/** HTML markup. Interpolated values are escaped unless they are markup themselves. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
/** Also removes characters that are invisible or that change the direction of adjacent text. */
const escape = (text: string) =>
  text.replaceAll(/[\p{Cc}\p{Cf}]/gu, "\uFFFD").replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "")

/**
 * A text of several lines, as it was written: line breaks and the invisible joiners of emoji stay. What could change
 * the direction of the text around it does not.
 */
export const prose = (text: string): Html => new Html(text.split("\n").map(escapeLine).join("\n"))
const escapeLine = (line: string) => line.split("\u200d").map(escape).join("\u200d")

type Part = string | number | Html | null | ReadonlyArray<Html>
const toText = (part: Part): string =>
  part === null
    ? ""
    : part instanceof Html
      ? part.text
      : typeof part === "string" || typeof part === "number"
        ? escape(String(part))
        : part.map(({ text }) => text).join("")

export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(strings.map((text, index) => text + toText(parts[index] ?? null)).join(""))

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6470; --ground: #f4f5f7; --card: #fff; --line: #d5d9de;
  --act: #1f5fd6; --on-act: #fff; --bad: #b42318; --mark: #fff6d6; --on-mark: #5c4400 }
@media (prefers-color-scheme: dark) { :root { --ink: #eceef1; --soft: #a3abb6; --ground: #14171a; --card: #1e2226;
  --line: #3a4148; --act: #8ab4ff; --on-act: #0b1f45; --bad: #ff9a90; --mark: #4a3d10; --on-mark: #ffe9a8 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { width: 100%; max-width: 30rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem }
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.25 }
p, ul, form { margin: 0 0 1rem }
ul { padding-left: 1.25rem }
li { margin: .25rem 0 }
main > :last-child { margin-bottom: 0 }
label { display: block; margin-bottom: .375rem; font-weight: 600 }
input[type=text], input[type=password] { width: 100%; padding: .75rem; border: 1px solid var(--soft); border-radius:
  .5rem; background: var(--card); color: inherit; font: inherit }
input.code { font: 600 1.5rem/1.2 ui-monospace, monospace; letter-spacing: .12em; text-align: center; text-transform:
  uppercase }
.act { display: block; width: 100%; min-height: 3rem; margin-top: .75rem; padding: .75rem 1rem; border: 1px solid
  var(--act); border-radius: .5rem; background: var(--act); color: var(--on-act); font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; cursor: pointer }
.act.quiet { background: transparent; color: var(--ink); border-color: var(--soft) }
.soft { color: var(--soft); font-size: .9375rem }
.act + .soft { margin-top: 1rem }
.problem { padding: .75rem; border: 1px solid var(--bad); border-radius: .5rem; color: var(--bad) }
.mark { padding: .75rem; border-radius: .5rem; background: var(--mark); color: var(--on-mark); font-weight: 600 }
a { color: var(--act) }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
`

/** The CSP of a page: markup and style only, no scripts, no loads, no framing, and forms only to this server. */
export const policyOf = (style: string, more = ""): string =>
  `default-src 'none'; style-src ` +
  `'sha256-${createHash("sha256").update(style).digest("base64")}';${more} form-action 'self'; base-uri 'none'; ` +
  `frame-ancestors 'none'`
export const PAGE_POLICY = policyOf(STYLE)

export const page = (title: string, body: Html, style = STYLE): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Troupe</title>
        ${new Html(`<style>${style}</style>`)}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `.text
