/**
 * Words that servers use to say what is wrong. Whatever else stands in their message may be a person's words, a key or
 * an address, so it is left out.
 */
const WORDS = new Set(
  `a access account additional after again allowed and any api at available average balance be because been before body
  busy can cannot capacity chat client code completion completions content context could credit credits currently
  deployment deprecated did disabled does during enabled endpoint engine error exceed exceeded exceeds exist expired
  extra failed failure fetch field filter filtered for format forbidden found free from gateway generate generated get
  given got grammar greater has header history host id if in incorrect input insufficient instance instead internal
  invalid is it json json_object json_schema key large later least length less limit limited limits load loaded loading
  long longer max maximum may memory message messages method minute missing model models must name need needed negative
  no not number object of off on only openai operation or organization out output overloaded parameter parameters
  parse pay payment per permission permitted plan please policy prompt property provide provided provider proxy quota
  rate reached reason received reduce refused rejected request requested requests required requires resource response
  response_format retry returned role running schema second seconds server service should size slot slots spend status
  stop stream string structured support supported supports system temporarily text than that the there this time timed
  timeout to token tokens too try type unable unauthorized unavailable unexpected unknown unprocessable unsupported up
  upstream usage use value was when window with within you your max_tokens max_completion_tokens temperature top_p
  frequency_penalty presence_penalty max_model_len n_ctx reasoning_effort`.split(/\s+/)
)
const MAX_CHARS = 200
/** Without a word of this length, nothing is said. */
const MIN_TELLING = 4
const MAX_READ = 2_000
/** A count or a limit, and no telephone number. */
const NUMBER = /^-?\d{1,7}$/

/** What a server said, cut, with a mark for each run of words that is left out. Null: nothing that can be shown. */
export const saidBy = (message: string): string | null => {
  const kept: Array<string> = []
  for (const token of message.slice(0, MAX_READ).split(/[\s,;:"'`()[\]{}]+/)) {
    const word = token.replace(/[.!?]{1,9}$/, "")
    if (word === "") continue
    if (NUMBER.test(word) || WORDS.has(word.toLowerCase())) kept.push(word)
    else if (kept.at(-1) !== "…") kept.push("…")
  }
  const said = kept.join(" ")
  return kept.every((word) => word.length < MIN_TELLING)
    ? null
    : said.length > MAX_CHARS
      ? `${said.slice(0, MAX_CHARS)}…`
      : said
}
