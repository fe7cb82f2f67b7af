/** Text that a model writes around a reply, such as thoughts, JSON and headings. The person must not see it. */

const THOUGHT = /<(think|thinking|thought|reasoning)>[^<]{0,20000}<\/\1>/gi

/** The text without complete thinking blocks. An incomplete block is refused by the gate. */
export const withoutThoughts = (text: string): string => (text.includes("<") ? text.replace(THOUGHT, "").trim() : text)

const FIELD = "(?:decision|exit_reason|bubbles|cited_memory_ids|image_request)"
const WHOSE =
  "(?:the |a |my |your )?(?:in-character |character's |persona's |rewritten |revised |requested |suggested )"

export const WRAPPING: ReadonlyArray<RegExp> = [
  new RegExp(
    String.raw`<\/?(?:think|thinking|thought|reasoning|tool_call|tool|function_call|reply|response|answer|output|` +
      String.raw`message|bubble)\b[^>\n]{0,40}>`,
    "i"
  ),
  /```(?:json|jsonc|json5|xml|yaml|yml|markdown|md|text|plaintext)\b|```\s{0,4}[[{]/i,
  new RegExp(`["'\`]${FIELD}["'\`]\\s{0,4}:`, "i"),
  new RegExp(`^[^\\S\\n]{0,4}[*_#>-]{0,3}[^\\S\\n]{0,2}${FIELD}[*_]{0,2}[^\\S\\n]{0,2}[:=]`, "im"),
  /^\s{0,8}[[{]\s{0,8}"[^"\n]{0,400}"\s{0,4}[:,\]]/m,
  new RegExp(
    String.raw`\[\s{0,2}\/?(?:system|system[ _-](?:prompt|message|note|instruction)s?|instructions?|` +
      String.raw`developer(?: message)?|assistant|user|prompt|end of (?:turn|reply|message)|internal(?: note)?|` +
      String.raw`thinking|note to self)\s{0,2}\]`,
    "i"
  ),
  /[[({]{1,2}\s{0,2}(?:ooc|out of character|author's note|a\/n)\b/i,
  new RegExp(
    `\\b(?:here(?:'s| is| are)|this is|below is) ${WHOSE}(?:(?:final |next |short )?` +
      "(?:reply|response|message|answer|draft|bubbles?))",
    "i"
  ),
  new RegExp(
    String.raw`^(?:[^\n.!?:]{0,30}[,.!] ?)?(?:here(?:'s| is)|below is) (?:the|a) ` +
      String.raw`(?:reply|response|message|draft|rewrite)(?: (?:as|from|for|in the voice of|by) [^\n:]{1,40})?:`,
    "i"
  ),
  new RegExp(
    String.raw`^(?:[^\n.!?:]{0,30}[,.!] ?)?hier (?:ist|kommt) (?:die|eine|deine) (?:überarbeitete |neue )?` +
      String.raw`(?:antwort|nachricht)(?: (?:der figur|des charakters|der rolle|als|von|im stil)[^\n:]{0,40})?:`,
    "i"
  ),
  new RegExp(
    String.raw`^(?:[^\n.!?:]{0,30}[,.!] ?)?(?:aquí (?:está|tienes|va)|aqui (?:está|vai)) (?:la|una|a|uma) ` +
      String.raw`(?:respuesta|resposta|mensaje|mensagem)(?: (?:del?|da|do|como|em|en)[^\n:]{0,40})?:`,
    "i"
  ),
  new RegExp(
    String.raw`^[^\S\n]{0,4}[*_#]{0,3}(?:response|reply|output|character|assistant|thoughts?|reasoning|analysis|` +
      String.raw`antwort|respuesta|resposta)[*_]{0,3}[^\S\n]{0,2}:`,
    "im"
  ),
  new RegExp(
    String.raw`^[^\S\n]{0,4}[*_#]{0,3}(?:character(?:'s)? (?:reply|response)|in-character (?:reply|response)|` +
      String.raw`final (?:answer|reply|response)|system prompt|reply \(as [^)\n]{1,40}\))[*_]{0,3}\s{0,2}:`,
    "im"
  )
]
