import { isTemplate, valueOf } from "#pipeline/domain/macroText.ts"
import { type Block, type Macro, type Nodes, readMacros } from "#pipeline/domain/macroTree.ts"
import { choicesOf, FOREIGN, isChoice, isName } from "#pipeline/domain/macroValues.ts"
import { authored, hasMacros } from "#pipeline/domain/macros.ts"
import type { Report } from "./Report.ts"

/** Macros that are filled when the text is used, besides choices and names. */
const KEPT: ReadonlySet<string> = new Set(["roll", "reverse"])
const NEWLINE = "{{newline}}"

/**
 * The text as it is stored. Names, dice, choices and conditions are filled when it is used. They are written in one
 * form, on one line, so that no later step parts them. What is not supported is removed, and the report names it.
 */
export const storedMacros = (text: string, character: string, report: Report, path: string): string => {
  if (!hasMacros(text)) return text
  const filling = authored(text, { character: "", user: "" }, "")
  const remove = (macro: Macro): string => {
    report.warn("macro_removed", path, "A macro that is not supported here was removed.", macro.source)
    return isTemplate(macro) ? "" : write(macro.inner, true)
  }

  const writeBlock = ({ branches }: Block): string => {
    const opener = branches[0]?.on?.name ?? "if"
    const written = branches.map(({ on, body }, index) => {
      const asked = on?.args.map((part) => write(part, true)).join("::") ?? ""
      if (on !== null && FOREIGN.has(asked.replace("!", "").trim().toLowerCase()))
        report.warn("macro_removed", path, "A condition that is not supported here does not apply.", on.source)
      const tag = index === 0 ? `#${opener} ${asked}` : on === null ? "else" : `else if ${asked}`
      return `{{${tag}}}${write(body, true)}`
    })
    return `${written.join("")}{{/${opener}}}`
  }

  const writeMacro = (macro: Macro, isInside: boolean): string => {
    const { mark, name, args, separator } = macro
    if (mark !== "" || separator === null) return remove(macro)
    if (name === "trim") return "{{trim}}"
    const value = valueOf(name, args, filling)
    if (value === null) return remove(macro)
    if (isName(name)) return name.startsWith("user") ? "{{user}}" : character
    if (isChoice(name)) {
      report.tell("macro_resolved", path, "One of the choices is taken when the text is used.", macro.source)
      return `{{pick::${choicesOf(args)
        .map((choice) => write(choice, true).trim())
        .join("::")}}}`
    }
    if (KEPT.has(name)) return `{{${name}:${args.map((part) => write(part, true)).join("::")}}}`
    return isInside ? value.replaceAll("\n", NEWLINE) : value
  }

  const write = (nodes: Nodes, isInside: boolean): string =>
    nodes
      .map((node) => {
        if (typeof node === "string") return isInside ? node.replaceAll("\n", NEWLINE) : node
        return node.kind === "block" ? writeBlock(node) : writeMacro(node, isInside)
      })
      .join("")

  const whole = readMacros(text, { blocks: false }).reduce(
    (length, node) =>
      length + (typeof node === "string" ? node.length : node.kind === "macro" ? node.source.length : 0),
    0
  )
  if (whole < text.length)
    report.warn("macro_removed", path, "Double braces that belong to no macro were removed.", text)
  return write(readMacros(text), false)
}
