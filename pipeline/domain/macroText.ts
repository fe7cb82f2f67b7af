import type { Block, Branch, Macro, Node, Nodes } from "./macroTree.ts"
import { FOREIGN, isName, isSaid, VALUES } from "./macroValues.ts"

/** How the macros of a text are filled. */
export interface Filling {
  readonly character: string
  /** Null: not known. */
  readonly user: string | null
  /** What stands for a person without a name. */
  readonly nobody: string
  /** One of so many numbers, from 0. */
  readonly draw: (count: number) => number
  /**
   * What becomes of a macro that is not known: it is left out of text that an author wrote for a program, and of a
   * model's own words only the braces are.
   */
  readonly unknown: "omit" | "words"
  /** Names of macros that stay as they are. */
  readonly kept?: ReadonlySet<string>
  /** Takes a branch of a block without a look at its condition. */
  readonly branch?: (count: number) => number
  /** What each macro and block has become. Conditions and values read what they contain more than once. */
  readonly filled: Map<Node, string>
}

const DOUBLED = /([{}])(?=\1)/g
const FALSE: ReadonlySet<string> = new Set(["", "false", "0", "off", "no", "null", "undefined"])

/** Collects a text in which no two braces stand together, except in a name. */
class Written {
  readonly #parts: Array<string> = []
  /** Line breaks are left out until there is something else. */
  #trims = false

  get text(): string {
    return this.#parts.join("")
  }

  /** Leaves out the line breaks before and after this place. */
  trim(): void {
    this.#trims = true
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      let end = part.length
      while (part[end - 1] === "\n") end -= 1
      if (end === 0) continue
      this.#parts.push(part.slice(0, end))
      return
    }
  }

  add(text: string): void {
    this.addName(text.replace(DOUBLED, "$1 "))
  }

  addName(text: string): void {
    let from = 0
    while (this.#trims && text[from] === "\n") from += 1
    const first = text[from]
    if (first === undefined) return
    this.#trims = false
    if ((first === "{" || first === "}") && this.#parts.at(-1)?.endsWith(first) === true) this.#parts.push(" ")
    this.#parts.push(text.slice(from))
  }
}

/** Fills a macro or block the first time. Without this, the work would double with each macro around another. */
const once = (filling: Filling, node: Node, fill: () => string): string => {
  const before = filling.filled.get(node)
  if (before !== undefined) return before
  const text = fill()
  filling.filled.set(node, text)
  return text
}

const ASKED = new WeakMap<Filling, Filling>()

/** The same in a condition, where a person without a name has no value. */
const askedOf = (filling: Filling): Filling => {
  if (filling.nobody === "") return filling
  const asked = ASKED.get(filling) ?? { ...filling, nobody: "", filled: new Map<Node, string>() }
  ASKED.set(filling, asked)
  return asked
}

const plainArgument = (nodes: Nodes): Nodes =>
  nodes.map((node) => (typeof node === "string" ? node.replace(/\\([,{}])/g, "$1") : node))

const argument = (nodes: Nodes, filling: Filling): string => textOf(plainArgument(nodes), filling).trim()

/** The value of a macro. Null: it has none, or not with these arguments. */
export const valueOf = (name: string, args: Macro["args"], filling: Filling): string | null => {
  const { character, user, nobody, draw } = filling
  const text = (nodes: Nodes): string => argument(nodes, filling)
  return VALUES.get(name)?.(args, { character, user: user ?? nobody, draw, text }) ?? null
}

/** The value of a condition: what a name stands for, or the text itself. */
const conditionValue = (nodes: Nodes, filling: Filling): string => {
  const text = argument(nodes, filling)
  const name = text.toLowerCase()
  if (!nodes.every((node) => typeof node === "string")) return text
  return FOREIGN.has(name) ? "" : (valueOf(name, [], filling) ?? text)
}

const isTrue = (text: string): boolean => !FALSE.has(text.trim().toLowerCase())

const holds = (nodes: Nodes, filling: Filling): boolean => {
  const [first = "", ...others] = nodes
  const head = typeof first === "string" ? first.trimStart() : first
  if (typeof head === "string" && head.startsWith("!")) return !holds([head.slice(1), ...others], filling)
  const text = argument(nodes, filling)
  const at = text.indexOf("==")
  const isNot = at === -1 && text.includes("!=")
  const sign = isNot ? text.indexOf("!=") : at
  return sign === -1
    ? isTrue(conditionValue(nodes, filling))
    : (text.slice(0, sign).trim() ===
        text
          .slice(sign + 2)
          .replace(/^=/, "")
          .trim()) !==
        isNot
}

/** Whether a branch applies: with `a::is::b` and the like as RisuAI writes it. */
const applies = ({ on }: Branch, filling: Filling): boolean => {
  if (on === null) return true
  const [first = [], ...others] = on.args
  const [operator = [], second = []] = others
  const asked = askedOf(filling)
  const is = (): boolean => {
    if (others.length === 0) return holds(first, asked)
    if (argument(first, asked) === "not") return !holds(operator, asked)
    switch (argument(operator, asked)) {
      case "is":
        return argument(first, asked) === argument(second, asked)
      case "isnot":
        return argument(first, asked) !== argument(second, asked)
      case "and":
        return holds(first, asked) && holds(second, asked)
      case "or":
        return holds(first, asked) || holds(second, asked)
      default:
        return false
    }
  }
  return is() === (on.name !== "unless")
}

/** Without the line breaks after the beginning and before the end of a block. */
const bodyOf = (text: string): string => {
  const tail = text.trimStart()
  const whole = tail.trimEnd()
  const before = text.slice(0, text.length - tail.length)
  const after = tail.slice(whole.length)
  return (before.includes("\n") ? "" : before) + whole + (after.includes("\n") ? "" : after)
}

const blockText = ({ branches }: Block, filling: Filling): string => {
  const forced = filling.branch?.(branches.length)
  const taken = forced === undefined ? branches.find((branch) => applies(branch, filling)) : branches[forced]
  return taken === undefined ? "" : bodyOf(textOf(taken.body, filling))
}

/** Whether it reads like a macro of another program, not like words that happen to be in braces. */
export const isTemplate = ({ mark, name, separator }: Macro): boolean =>
  mark !== "" || FOREIGN.has(name) || (name !== "" && (separator === "" || separator === ":"))

/** What stands for a macro that is not known. */
const wordsOf = (macro: Macro, filling: Filling): string => {
  if (filling.unknown === "omit" && isTemplate(macro)) return ""
  const words = textOf(macro.inner, filling).trim()
  return macro.mark === "" && macro.name !== "else" ? words : ` ${words} `
}

/** The text of a tree. */
export const textOf = (nodes: Nodes, filling: Filling): string => {
  const written = new Written()
  for (const node of nodes) {
    if (typeof node === "string") written.add(node)
    else if (node.kind === "block") written.add(once(filling, node, () => blockText(node, filling)))
    else if (filling.kept?.has(node.name) === true) written.addName(node.source)
    else if (node.mark === "" && node.name === "trim" && filling.unknown === "omit") written.trim()
    else {
      const isAsked = filling.unknown === "omit" || isSaid(node.name)
      const isFilled = isAsked && node.mark === "" && node.separator !== null
      const shown = once(
        filling,
        node,
        () => (isFilled ? valueOf(node.name, node.args, filling) : null) ?? wordsOf(node, filling)
      )
      if (isFilled && isName(node.name)) written.addName(shown)
      else written.add(shown)
    }
  }
  return written.text
}
