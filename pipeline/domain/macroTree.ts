/**
 * Macros in double braces, as authors of cards write them, read as a tree: `{{name}}`, `{{name::argument}}`,
 * `{{name:argument}}`, `{{name argument}}`, each with macros inside, and blocks such as
 * `{{#if name}}...{{else}}...{{/if}}`. `<USER>`, `<BOT>` and `<CHAR>` are older forms of two macros.
 *
 * Braces that belong to no macro are left out of the tree. Single braces are text. Reading takes linear time.
 */
export type Nodes = ReadonlyArray<Node>
export type Node = string | Macro | Block

export interface Macro {
  readonly kind: "macro"
  /** With its braces, as it was written. */
  readonly source: string
  /** `#` begins a block, `/` ends one, and `:` stands before `else` in some programs. */
  readonly mark: "" | "#" | "/" | ":"
  /** In lower case. Empty if it does not begin with a name. `//` is a comment. */
  readonly name: string
  /** What stands between the name and the arguments. Null: other text follows, so that it may not be a macro. */
  readonly separator: "" | " " | ":" | null
  readonly args: ReadonlyArray<Nodes>
  /** All between the braces. */
  readonly inner: Nodes
}

export interface Branch {
  /** The macro with the condition. Null: it applies if no other does. */
  readonly on: Macro | null
  readonly body: Nodes
}

/** A block with conditions. */
export interface Block {
  readonly kind: "block"
  readonly branches: ReadonlyArray<Branch>
}

/** How deep macros may be nested in each other, and blocks in each other. Braces of deeper ones belong to no macro. */
const MAX_DEPTH = 32

interface Token {
  readonly kind: "text" | "open" | "close" | "old"
  readonly from: number
  readonly to: number
}

/** A macro whose end has not been found yet, and how many single braces are open in it. */
interface Opened {
  readonly at: number
  singles: number
}

const OLD = /<(?:user|bot|char)>/iy
const SIGN = /[{}<]/g

/** The tokens of a text. An opening token without a closing one is left out, and so is a closing one. */
const tokensOf = (text: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  const opened: Array<Opened> = []
  const outside: Opened = { at: -1, singles: 0 }
  const matched = new Set<number>()
  const add = (kind: Token["kind"], from: number, to: number) => {
    if (to > from) tokens.push({ kind, from, to })
  }
  const close = (from: number, run: number): void => {
    let left = run
    while (left > 0) {
      const at = from + run - left
      const innermost = opened.at(-1)
      const { singles } = innermost ?? outside
      if (left === 1 || (singles > 0 && (innermost === undefined || left > 2))) {
        add("text", at, at + 1)
        ;(innermost ?? outside).singles = Math.max(0, singles - 1)
        left -= 1
      } else {
        if (innermost !== undefined) {
          matched.add(innermost.at)
          opened.pop()
          add("close", at, at + 2)
        }
        left -= 2
      }
    }
  }
  let read = 0
  for (SIGN.lastIndex = 0; ; SIGN.lastIndex = read) {
    const from = SIGN.exec(text)?.index ?? text.length
    add("text", read, from)
    if (from === text.length) break
    const sign = text[from]
    if (sign === "<") {
      OLD.lastIndex = from
      read = from + (OLD.exec(text)?.[0].length ?? 1)
      add(read - from > 1 ? "old" : "text", from, read)
      continue
    }
    // Inside a macro, a brace after a backslash is text.
    const isEscaped = opened.length > 0 && text[from - 1] === "\\"
    let start = from + (isEscaped ? 1 : 0)
    add("text", from, start)
    read = start
    while (text[read] === sign) read += 1
    if (sign === "}") {
      close(start, read - start)
      continue
    }
    if ((read - start) % 2 === 1) {
      const within = opened.at(-1) ?? outside
      within.singles += 1
      add("text", start, start + 1)
      start += 1
    }
    for (; start < read; start += 2) {
      opened.push({ at: start, singles: 0 })
      add("open", start, start + 2)
    }
  }
  return tokens.filter(({ kind, from }) => kind !== "open" || matched.has(from))
}

const NAME = /[a-z_][\w-]{0,39}/iy
const markOf = (sign: string | undefined): Macro["mark"] => (sign === "#" || sign === "/" || sign === ":" ? sign : "")

/** The parts between `::`. */
const partsOf = (nodes: Nodes): ReadonlyArray<Nodes> => {
  const parts: Array<Array<Node>> = [[]]
  for (const node of nodes) {
    const [first = "", ...more] = typeof node === "string" ? node.split("::") : [node]
    parts.at(-1)?.push(first)
    for (const next of more) parts.push([next])
  }
  return parts
}

const macroOf = (source: string, inner: Nodes): Macro => {
  const [first, ...others] = inner
  const head = typeof first === "string" ? first.trimStart() : ""
  const macro = (mark: Macro["mark"], name: string, separator: Macro["separator"], rest: string): Macro => ({
    kind: "macro",
    source,
    mark,
    name,
    separator,
    args:
      separator === null || separator === "" || name === "//"
        ? []
        : partsOf([rest.trimStart(), ...others]).map(blocksIn),
    inner
  })
  if (head.startsWith("///")) return macro("/", "//", "", "")
  if (head.startsWith("//")) return macro("", "//", head.trimEnd() === "//" && others.length === 0 ? "" : ":", "")
  const mark = markOf(head[0])
  const named = head.slice(mark.length).trimStart()
  NAME.lastIndex = 0
  const name = NAME.exec(named)?.[0] ?? ""
  const rest = named.slice(name.length)
  const after = rest.trimStart()
  if (after === "" && others.length === 0) return macro(mark, name.toLowerCase(), "", "")
  if (name === "") return macro(mark, "", null, "")
  if (after.startsWith(":")) return macro(mark, name.toLowerCase(), ":", after.slice(after.startsWith("::") ? 2 : 1))
  if (after.length === rest.length && rest !== "") return macro(mark, name.toLowerCase(), null, "")
  return name.toLowerCase() === "else" && after.startsWith("if ")
    ? macro(mark, "elseif", " ", after.slice(2))
    : macro(mark, name.toLowerCase(), " ", after)
}

const CONDITIONS: ReadonlySet<string> = new Set(["if", "unless", "when"])
const INLINE: ReadonlySet<string> = new Set(["if", "unless"])
const COMMENTS: ReadonlySet<string> = new Set(["//", "comment"])
const BESIDE: ReadonlySet<string> = new Set(["else", "elseif"])

const begins = ({ mark, name, separator, args }: Macro): boolean => {
  if (mark === "#") return !BESIDE.has(name) && name !== "endif"
  if (mark !== "") return false
  return CONDITIONS.has(name) ? args.length < 2 : COMMENTS.has(name) && separator === ""
}

/** A block whose end has not been found yet. */
interface Begun {
  readonly opener: Macro
  readonly branches: Array<{ readonly on: Macro | null; readonly body: Array<Node> }>
}

/**
 * What a block is in the tree. One without its end and without `else` is shown, as it would take the rest of the text
 * with it. Of one that is not known, the first branch is shown.
 */
const ended = ({ opener, branches }: Begun, isClosed: boolean): Nodes => {
  if (isClosed && COMMENTS.has(opener.name)) return []
  if (CONDITIONS.has(opener.name) && (isClosed || branches.length > 1)) return [{ kind: "block", branches }]
  return [opener, ...branches.slice(0, isClosed ? 1 : branches.length).flatMap(({ body }) => body)]
}

/** `{{if::condition::then::else}}` is a block in one macro. */
const inOne = (macro: Macro): Node => {
  const [condition, then, ...others] = macro.args
  if (macro.mark !== "" || !INLINE.has(macro.name) || condition === undefined || then === undefined) return macro
  const branch = { on: { ...macro, args: [condition] }, body: then }
  return { kind: "block", branches: [branch, ...others.slice(0, 1).map((body) => ({ on: null, body }))] }
}

/** Puts the macros that begin, part and end blocks together. */
const blocksIn = (nodes: Nodes): Nodes => {
  if (!nodes.some((node) => typeof node !== "string")) return nodes
  const whole: Array<Node> = []
  const begun: Array<Begun> = []
  const add = (...added: Nodes) => {
    const body = begun.at(-1)?.branches.at(-1)?.body ?? whole
    for (const node of added) body.push(node)
  }
  const end = (isClosed: boolean) => {
    const last = begun.pop()
    if (last !== undefined) for (const node of ended(last, isClosed)) add(node)
  }
  for (const node of nodes) {
    if (typeof node === "string" || node.kind === "block") add(node)
    else if (begins(node) && begun.length < MAX_DEPTH) begun.push({ opener: node, branches: [{ on: node, body: [] }] })
    else if (BESIDE.has(node.name) && node.mark !== "/" && begun.length > 0)
      begun.at(-1)?.branches.push({ on: node.name === "else" ? null : node, body: [] })
    else if (node.mark === "/" || node.name === "endif") {
      const name = node.name === "endif" ? "if" : node.name
      const at = begun.findLastIndex(({ opener }) => name === "" || opener.name === name)
      if (at === -1) add(node)
      else while (begun.length > at) end(begun.length === at + 1)
    } else add(inOne(node))
  }
  while (begun.length > 0) end(false)
  return whole
}

export interface Reading {
  /** Without, the macros that begin and end them are macros like others. */
  readonly blocks?: boolean
  /** `<USER>` and the like. Without, they are text. */
  readonly oldForms?: boolean
}

/** The tree of a text. */
export const readMacros = (text: string, { blocks = true, oldForms = true }: Reading = {}): Nodes => {
  const stack: Array<{ readonly from: number; readonly nodes: Array<Node> }> = [{ from: 0, nodes: [] }]
  let tooDeep = 0
  for (const { kind, from, to } of tokensOf(text)) {
    const nodes = stack.at(-1)?.nodes ?? []
    const last = nodes.at(-1)
    if (kind === "text" || (kind === "old" && !oldForms)) {
      if (typeof last === "string") nodes[nodes.length - 1] = last + text.slice(from, to)
      else nodes.push(text.slice(from, to))
    } else if (kind === "old") nodes.push(macroOf(text.slice(from, to), [text.slice(from + 1, to - 1)]))
    else if (kind === "open") {
      if (stack.length > MAX_DEPTH) tooDeep += 1
      else stack.push({ from, nodes: [] })
    } else if (tooDeep > 0) tooDeep -= 1
    else {
      const closed = stack.pop()
      if (closed !== undefined) stack.at(-1)?.nodes.push(macroOf(text.slice(closed.from, to), closed.nodes))
    }
  }
  const { nodes = [] } = stack[0] ?? {}
  return blocks ? blocksIn(nodes) : nodes
}
