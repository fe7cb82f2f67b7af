/** Text that a model writes around a reply, such as thoughts, JSON and headings. The person must not see it. */

const THOUGHT = /<(think|thinking|thought|reasoning)>[^<]{0,20000}<\/\1>/gi

/** The text without complete thinking blocks. An incomplete block is refused by the gate. */
export const withoutThoughts = (text: string): string => (text.includes("<") ? text.replace(THOUGHT, "").trim() : text)

/** A whole reply in a code block without a language, or between quotation marks, backquotes or rules. */
const WHOLE: ReadonlyArray<RegExp> = [
  /^```(?:text|plaintext)?[^\S\n]{0,4}\n([^`]{1,8000})```$/i,
  /^(?:-{3,10}|\*{3,10}|_{3,10})[^\S\n]{0,4}\n([^]{1,8000}?)(?:\n(?:-{3,10}|\*{3,10}|_{3,10}))?$/,
  /^"([^"]{1,8000})"$/,
  /^“([^“”]{1,8000})”$/,
  /^„([^„“”"]{1,8000})[“”"]$/,
  /^«([^«»]{1,8000})»$/,
  /^`([^`]{1,8000})`$/
]
const QUOTED_LINE = /^>[^\S\n]?/gm
const IS_QUOTED = /^>[^\n]{0,8000}(?:\n>[^\n]{0,8000}){0,100}$/
/** Names of what follows that may also be the words of a character: without them the words mean the same. */
const LABEL = new RegExp(
  String.raw`^[*_#]{0,3}[^\S\n]?(?:(?:short )?answer|message|(?:revised |new )?draft|` +
    String.raw`bubble(?: \d{1,2})?|mensaje|mensagem|nachricht|borrador|rascunho|` +
    String.raw`entwurf)(?: \([^)\n]{1,40}\))?[*_]{0,3}[^\S\n]{0,2}:[*_]{0,3}\s{0,4}`,
  "i"
)

const unwrappedOnce = (text: string): string => {
  for (const pattern of WHOLE) {
    const inside = pattern.exec(text)?.[1]
    if (inside !== undefined) return inside.trim()
  }
  return (IS_QUOTED.test(text) ? text.replace(QUOTED_LINE, "") : text).replace(LABEL, "").trim()
}

const MOST_LAYERS = 3

/** The text without what is written around the whole of it, such as quotation marks, and without a label before it. */
export const unwrapped = (text: string): string => {
  let inside = text.trim()
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const next = unwrappedOnce(inside)
    if (next === inside || next === "") break
    inside = next
  }
  return inside
}

const FIELD = "(?:decision|exit_reason|bubbles|cited_memory_ids|image_request)"
const WHOSE =
  "(?:the |a |my |your )?(?:in-character |character's |persona's |rewritten |revised |requested |suggested )"

const THOUGHT_TAG = String.raw`<\/?(?:think|thinking|thought|reasoning)\b[^>\n]{0,40}>`

const WRAPPING: ReadonlyArray<RegExp> = [
  // A reply may speak of such a tag, as a word of its own within a line.
  new RegExp(String.raw`(?:^|[^\s"'\x60“„«(*])${THOUGHT_TAG}`, "im"),
  new RegExp(String.raw`${THOUGHT_TAG}(?:[\p{L}\p{N}<{]|[^\S\n]{0,4}$)`, "imu"),
  new RegExp(
    String.raw`<\/?(?:tool_call|tool|function_call|reply|response|` +
      String.raw`answer|final|draft|output|message|bubble|s)\b[^>\n]{0,40}>`,
    "i"
  ),
  /```(?:json|jsonc|json5|xml|yaml|yml|markdown|md|text|plaintext)\b|```\s{0,4}[[{]/i,
  new RegExp(`["'\`]${FIELD}["'\`]\\s{0,4}:`, "i"),
  new RegExp(`^[^\\S\\n]{0,4}[*_#>-]{0,3}[^\\S\\n]{0,2}${FIELD}[*_]{0,2}[^\\S\\n]{0,2}[:=]`, "im"),
  /^\s{0,8}[[{]\s{0,8}"[^"\n]{0,400}"\s{0,4}[:,\]]/m,
  new RegExp(
    String.raw`\[\s{0,2}\/?(?:system|system[ _-](?:prompt|message|note|instruction)s?|` +
      String.raw`instructions?|developer(?: message)?|assistant|user|prompt|end of (?:turn|reply|` +
      String.raw`message)|internal(?: note)?|thinking|note to self)\s{0,2}\]`,
    "i"
  ),
  /[[({]{1,2}\s{0,2}(?:ooc|out of character|author's note|a\/n)\b/i,
  new RegExp(
    `\\b(?:here(?:'s| is| are)|this is|below is) ${WHOSE}(?:(?:final |next |short )?` +
      "(?:reply|response|message|answer|draft|bubbles?))",
    "i"
  ),
  new RegExp(
    String.raw`^(?:[^\n.!?:]{0,30}[,.!] ?)?(?:here(?:'s| is)|below is) (?:the|a) (?:reply|response|` +
      String.raw`message|draft|rewrite)(?: (?:as|from|for|in the voice of|by) [^\n:]{1,40})?:`,
    "i"
  ),
  new RegExp(
    String.raw`^(?:[^\n.!?:]{0,30}[,.!] ?)?hier (?:ist|kommt) (?:die|eine|deine) (?:überarbeitete |` +
      String.raw`neue )?(?:antwort|nachricht)(?: (?:der figur|des charakters|der rolle|als|von|` +
      String.raw`im stil)[^\n:]{0,40})?:`,
    "i"
  ),
  new RegExp(
    String.raw`^(?:[^\n.!?:]{0,30}[,.!] ?)?(?:aquí (?:está|tienes|va)|aqui (?:está|vai)) (?:la|una|` +
      String.raw`a|uma) (?:respuesta|resposta|mensaje|mensagem)(?: (?:del?|da|do|como|em|` +
      String.raw`en)[^\n:]{0,40})?:`,
    "i"
  ),
  new RegExp(
    String.raw`^[^\S\n]{0,4}[*_#]{0,3}(?:response|reply|output|character|assistant|thoughts?|` +
      String.raw`reasoning|analysis|antwort|respuesta|resposta|` +
      String.raw`réponse)(?: \([^)\n]{1,40}\))?[*_]{0,3}[^\S\n]{0,2}:`,
    "im"
  ),
  new RegExp(
    String.raw`^[^\S\n]{0,4}[*_#]{0,3}(?:character(?:'s)? (?:reply|response)|in-character (?:reply|` +
      String.raw`response)|final (?:answer|reply|response)|system prompt|` +
      String.raw`reply \(as [^)\n]{1,40}\))[*_]{0,3}\s{0,2}:`,
    "im"
  ),
  new RegExp(
    String.raw`^[^\S\n]{0,4}[*_#]{0,6}[^\S\n]?(?:final (?:answer|reply|response)|(?:finale|` +
      String.raw`endgültige|überarbeitete) antwort|(?:respuesta|resposta|réponse) (?:final|finale|` +
      String.raw`definitiva|revisada|corregida))[*_]{0,3}(?: is| ist| es| é)?[^\S\n]{0,2}(?:[:–—-]|$)`,
    "im"
  ),
  new RegExp(
    String.raw`^[^\S\n]{0,4}(?:#{1,6}[^\S\n]|[*_]{2})(?:answer|reply|response|output|thoughts?|` +
      String.raw`reasoning|analysis|antwort|respuesta|resposta)[*_:]{0,4}[^\S\n]{0,4}$`,
    "im"
  ),
  /\[\/?INST\]|<<\/?SYS>>|◁\/?think▷|\\boxed\{/i,
  /assistant(?:final|analysis|commentary)(?![a-z])/,
  /^(?:assistant|system|user)[^\S\n]{0,2}\n/i,
  /[[(]\s?(?:word count|words|tokens|characters|length)\s?:\s?\d/i,
  /^(?:version 1|option (?:a|1)):[^\n\r]{0,4000}[\n\r]{1,4}(?:version 2|option (?:b|2)):/i,
  new RegExp(
    String.raw`^(?:(?:okay|ok|alright|hm+|well|` +
      String.raw`right)[,. ]{1,3})?(?:so,? )?the user(?:'s message)? (?:is|says?|said|wants?|asks?|` +
      String.raw`asked|just|sent|has)\b`,
    "im"
  ),
  new RegExp(
    String.raw`^(?:(?:okay|ok|alright|hm+|well|right)[,. ]{1,3})?(?:so,? )?(?:i|we) (?:should|` +
      String.raw`need to|must|have to|will) (?:respond|reply|answer|write|stay) (?:in[- ]character|` +
      String.raw`as|briefly|with (?:a|one|two)|in (?:one|two|\d))\b`,
    "im"
  ),
  new RegExp(
    String.raw`^[\s*_([]{0,4}(?:note|nota|hinweis|anmerkung|this (?:response|reply)|diese antwort|` +
      String.raw`esta (?:respuesta|resposta))\b[^\n]{0,120}\b(?:in[- ]character|the (?:character|` +
      String.raw`persona)|in der rolle|des charakters|del personaje|da personagem|do personagem)\b`,
    "im"
  )
]

/** Stands for the character's name, which may hold anything. */
const NAME = "\uE000"
/** Text about the character as somebody whose words are to be written. */
const ABOUT_CHARACTER: ReadonlyArray<RegExp> = [
  /^[*_#>[(\s]{0,6}\uE000(?:'s)? (?:final )?(?:reply|response|answer|message)[*_]{0,3}\s{0,2}:/im,
  /\b(?:what|how|as) \uE000 (?:would|might|could) (?:say|respond|reply|answer|put it|write)\b/i,
  new RegExp(
    String.raw`(?:^|\n)[^\n:]{0,40}\uE000 (?:would (?:say|reply|respond)|würde (?:sagen|antworten)|` +
      String.raw`diría|respondería|diria|responderia)\s?:`,
    "i"
  ),
  /(?<!\p{L})(?:as|als|como) \uE000,? (?:i(?:'d| would)|würde ich|ich würde|yo |eu )/iu,
  /\bin \uE000's (?:voice|style)\b/i,
  new RegExp(
    String.raw`\b(?:respond|reply|answer|write|antworten?|antwort|responder|respuesta|` +
      String.raw`resposta) (?:as|als|como) \uE000(?!\p{L})`,
    "iu"
  ),
  /^\s{0,4}[[(](?:as |als |como )?\uE000[\])]/i
]

/** Whether a text still holds what a model writes around a reply. `names`: those of the character. */
export const isWrapped = (text: string, names: ReadonlyArray<string>): boolean => {
  if (WRAPPING.some((pattern) => pattern.test(text))) return true
  const masked = names
    .filter((name) => name !== "")
    .toSorted((one, other) => other.length - one.length)
    .reduce((masked, name) => masked.replaceAll(name, NAME), text)
  return masked !== text && ABOUT_CHARACTER.some((pattern) => pattern.test(masked))
}
