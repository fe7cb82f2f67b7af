import { Composer, isMap, Lexer, Parser, visit } from "yaml"
import { tooLarge, unreadable } from "./ImportRefused.ts"
import { storable } from "./readJson.ts"

const KIB = 1024
const MAX_BYTES = 64 * KIB
/** Maximum depth of nested lists and mappings. Each level takes a few tokens on the stack of the parser. */
const MAX_OPEN_TOKENS = 60
/** Maximum number of signs, texts and line breaks. A text of many lines counts as one. */
const MAX_LEXEMES = 4_000
/** A field of a character at the beginning of a line. */
const FIELD =
  /^["']?(?:(?:char_)?(?:name|persona|greeting)|context|world_scenario|example_dialogue|your_name|user)["']? ?:(?: |$)/m
const FIX = "Indent the lines of a text under the name of its field, after a |, or export the character as JSON."

const withAnchors = unreadable(
  "The YAML has anchors or aliases (& and *), which are not read. Put a text that begins with one in quotation marks."
)

/** Whether a text is YAML with a field of a character. */
export const isYaml = (text: string): boolean => !/^\s*[{[]/.test(text) && FIELD.test(text.slice(0, MAX_BYTES))

/**
 * Parses YAML from a file. Only plain data is read: no anchors, aliases or tags. Numbers, dates and the like stay the
 * text that they are written as.
 */
export const readYaml = (text: string): unknown => {
  if (text.length > MAX_BYTES) throw tooLarge(`The YAML has more than ${MAX_BYTES / KIB} KiB. Export it as JSON.`)
  const parser = new Parser()
  const tokens = []
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (++lexemes > MAX_LEXEMES)
      throw tooLarge("The YAML has too many fields and list items. Leave out those that describe no character.")
    if (parser.stack.length > MAX_OPEN_TOKENS) throw unreadable(`The YAML is nested too deep. ${FIX}`)
  }
  tokens.push(...parser.end())
  const composer = new Composer({ version: "1.2", schema: "core", stringKeys: true, logLevel: "silent" })
  const [document, another] = composer.compose(tokens)
  if (another !== undefined) throw unreadable("The YAML has several documents. Import each of them by itself.")
  const [error] = document?.errors ?? []
  if (error !== undefined)
    throw unreadable(`The YAML has an error in line ${text.slice(0, error.pos[0]).split("\n").length}. ${FIX}`)
  if (document === undefined || document.warnings.length > 0 || !isMap(document.contents))
    throw unreadable(`The YAML is not a plain list of fields and texts. ${FIX}`)
  visit(document, {
    Alias: () => {
      throw withAnchors
    },
    Collection: (_, { anchor }) => {
      if (anchor !== undefined) throw withAnchors
    },
    Scalar: (_, scalar) => {
      if (scalar.anchor !== undefined) throw withAnchors
      if (scalar.value !== null && typeof scalar.value !== "string") scalar.value = scalar.source ?? ""
    }
  })
  return storable(document.toJS({ maxAliasCount: 0 }))
}
