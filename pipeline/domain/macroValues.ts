import type { Nodes } from "./macroTree.ts"

/** What a macro needs to know to be filled. */
export interface Scope {
  readonly character: string
  readonly user: string
  /** The text of an argument, with its macros filled. */
  readonly text: (nodes: Nodes) => string
  /** One of so many numbers, from 0. */
  readonly draw: (count: number) => number
}

/** Null: the macro has no such arguments. */
type Value = (args: ReadonlyArray<Nodes>, scope: Scope) => string | null

const MAX_DICE = 100
const MAX_LINES = 10

const isEscaped = (text: string, at: number): boolean => text[at - 1] === "\\"

/** The parts between commas. A comma after a backslash is part of the text. */
const commaParts = (nodes: Nodes): ReadonlyArray<Nodes> => {
  const parts: Array<Array<Nodes[number]>> = [[]]
  for (const node of nodes) {
    if (typeof node !== "string") {
      parts.at(-1)?.push(node)
      continue
    }
    let from = 0
    for (let at = node.indexOf(","); at !== -1; at = node.indexOf(",", at + 1)) {
      if (isEscaped(node, at)) continue
      parts.at(-1)?.push(node.slice(from, at))
      parts.push([])
      from = at + 1
    }
    parts.at(-1)?.push(node.slice(from))
  }
  return parts
}

/** What a macro with choices chooses from: its arguments, or the parts of its only one. */
export const choicesOf = (args: ReadonlyArray<Nodes>): ReadonlyArray<Nodes> =>
  args.length === 1 ? commaParts(args[0] ?? []) : args

const choice: Value = (args, { text, draw }) => {
  const choices = choicesOf(args)
  return choices.length === 0 ? null : text(choices[draw(choices.length)] ?? [])
}

const DICE = /^(\d{0,3})d(\d{1,6})(?:\s?([+-])\s?(\d{1,6}))?$/i

/** The sum of dice such as `2d6+1`, `d20` or `20`. */
const roll: Value = (args, { text, draw }) => {
  const asked = args.map(text).join("").trim()
  const [, times = "", sides = "", sign, more = "0"] = DICE.exec(/^\d{1,6}$/.test(asked) ? `d${asked}` : asked) ?? []
  const count = times === "" ? 1 : Number(times)
  if (count > MAX_DICE || !(Number(sides) > 0)) return null
  const rolled = Array.from({ length: count }, () => 1 + draw(Number(sides))).reduce((sum, one) => sum + one, 0)
  return String(rolled + (sign === "-" ? -Number(more) : Number(more)))
}

const character: Value = (_, scope) => scope.character
const user: Value = (_, scope) => scope.user
const nothing: Value = () => ""
const newline: Value = ([count], { text }) => {
  const lines = count === undefined ? 1 : Number(text(count))
  return "\n".repeat(Number.isInteger(lines) ? Math.min(Math.max(lines, 0), MAX_LINES) : 1)
}

/** Names by which several programs call the same. */
const CHARACTER = ["char", "bot", "charifnotgroup", "agentname"]
/** elizaOS numbers its users. */
const USER = ["user", ...Array.from("123456789", (digit) => `user${digit}`)]
const CHOICES = ["random", "pick"]
const NOTHING = ["noop", "none", "blank", "//", "comment"]

const named = (names: ReadonlyArray<string>, value: Value) => names.map((name) => [name, value] as const)

/** The macros that are filled, by their names. */
export const VALUES: ReadonlyMap<string, Value> = new Map([
  ...named(CHARACTER, character),
  ...named(USER, user),
  ...named(CHOICES, choice),
  ...named(["roll"], roll),
  ...named(["newline", "br"], newline),
  ...named(["space"], () => " "),
  ...named(["reverse"], (args, { text }) => Array.from(args.map(text).join("::")).toReversed().join("")),
  ...named(NOTHING, nothing)
])

export const isName = (name: string): boolean => CHARACTER.includes(name) || USER.includes(name)
/** Whether a model may say it and mean its value. The other names are words in templates. */
export const isSaid = (name: string): boolean => isName(name) || isChoice(name) || name === "roll" || name === "newline"
export const isChoice = (name: string): boolean => CHOICES.includes(name)

/** Macros of SillyTavern, RisuAI and Agnai that have no value here. As a condition they do not apply. */
export const FOREIGN: ReadonlySet<string> = new Set(
  (
    "abs addglobalvar addvar all_chars asset audio axmodel banned bg calc charinstruction charjailbreak charpersona " +
    "charprompt charversion chat_age chat_index creatornotes date datetime datetimeformat decglobalvar decvar " +
    "defaultsystemprompt deleteglobalvar deletevar description emotion equal example_dialogue exampledialogue " +
    "flushglobalvar flushvar getglobalvar getvar global_note globalvar greater group groupnotmuted hasglobalvar " +
    "hasvar history idle_duration idleduration img impersonate incglobalvar incvar input inputoutput isodate isotime " +
    "jb jbtoggled lastcharmessage lastgenerationtype lastmessage lastmessageid lastswipeid lastusermessage less " +
    "lorebook main_prompt maxprompt mesexamples mesexamplesraw memory message_date message_time model notchar " +
    "original outlet persona personality post previous_char_chat previous_user_chat prompt raw role scenario " +
    "setglobalvar setvar source summary system system_note system_prompt systemprompt time timediff tempvar ujb " +
    "user_persona var video weekday wi world_info"
  ).split(" ")
)
