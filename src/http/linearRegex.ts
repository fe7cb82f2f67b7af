const MAXIMUM_STATES = 1000

type Atom = { readonly states: number; readonly varies: boolean; readonly ambiguous: boolean }

type Group = {
  states: number
  varies: boolean
  ambiguous: boolean
  /** First character of each alternative so far; empty where it is not a plain character. */
  readonly starts: Array<string>
  atAlternativeStart: boolean
}

const openGroup = (): Group => ({ states: 0, varies: false, ambiguous: false, starts: [""], atAlternativeStart: true })

const closeGroup = ({ states, varies, ambiguous, starts }: Group): Atom => ({
  states,
  varies,
  ambiguous: ambiguous || (starts.length > 1 && (starts.includes("") || new Set(starts).size < starts.length))
})

const token =
  /(?<look>\(\?<?[=!])|(?<open>\((?:\?(?:<[^>]*>|[a-z-]*:))?)|(?<close>\))|(?<or>\|)|(?<edge>[\^$]|\\[bB])|(?<back>\\(?:[1-9]|k))|(?<quantifier>(?:[*+?]|\{\d+(?:,\d*)?\})\??)|(?<atom>\[(?:[^\]\\]|\\.)*\]|\\(?:[uxpP]\{[^}]*\}|.)|.)/gsu

const repeats = (quantifier: string): { readonly minimum: number; readonly maximum: number } => {
  if (quantifier.startsWith("*")) return { minimum: 0, maximum: Infinity }
  if (quantifier.startsWith("+")) return { minimum: 1, maximum: Infinity }
  if (quantifier.startsWith("?")) return { minimum: 0, maximum: 1 }
  const [minimum = "", maximum = minimum] = quantifier.replace(/\?$/, "").slice(1, -1).split(",")
  return { minimum: Number(minimum), maximum: maximum === "" ? Infinity : Number(maximum) }
}

/** The character that an atom stands for, or "" where it stands for several. */
const plainCharacter = (atom: string): string => {
  const [, escaped, plain] = /^(?:\\([^\p{L}\p{N}])|([^.\\]))$/u.exec(atom) ?? []
  return (escaped ?? plain ?? "").toLowerCase()
}

const compileProblem = (source: string): string | null => {
  try {
    void new RegExp(source, "u")
    return null
  } catch (error) {
    return error instanceof Error ? error.message : "Invalid regex"
  }
}

/**
 * Why a pattern is outside the subset that an automaton matches in time linear in the text, or null. Refused are backreferences,
 * lookaround, a repeated group that can itself match in several ways (a quantifier inside, alternatives that begin alike), and counts
 * that unfold into a huge automaton. RegExp backtracks and gets no such promise: `a?a?...aa` and `\w*x\w*y\w*z` are in the subset and
 * can still take it seconds.
 */
export const linearRegexProblem = (source: string): string | null => {
  const compile = compileProblem(source)
  if (compile !== null) return compile
  const outer: Array<Group> = []
  let group = openGroup()
  let atom: Atom = { states: 0, varies: false, ambiguous: false }

  const append = (next: Atom, start: string): void => {
    if (group.atAlternativeStart) group.starts[group.starts.length - 1] = start
    group.atAlternativeStart = false
    group.states += next.states
    group.varies ||= next.varies
    group.ambiguous ||= next.ambiguous
    atom = next
  }

  for (const { groups = {}, 0: matched } of source.matchAll(token)) {
    if (groups["look"] !== undefined) return "Invalid regex: lookaround is not allowed"
    if (groups["back"] !== undefined) return "Invalid regex: backreferences are not allowed"
    if (groups["open"] !== undefined) {
      outer.push(group)
      group = openGroup()
    } else if (groups["close"] !== undefined) {
      const closed = closeGroup(group)
      group = outer.pop() ?? openGroup()
      append(closed, "")
    } else if (groups["or"] !== undefined) {
      group.starts.push("")
      group.atAlternativeStart = true
    } else if (groups["quantifier"] !== undefined) {
      const { minimum, maximum } = repeats(matched)
      if (maximum > 1 && atom.varies) return "Invalid regex: nested quantifiers are not allowed, a repeated group may not contain another variable one"
      if (maximum > 1 && atom.ambiguous) return "Invalid regex: the alternatives of a repeated group must begin with different characters"
      group.states += atom.states * ((maximum === Infinity ? Math.max(minimum, 1) : maximum) - 1)
      group.varies ||= minimum !== maximum
      if (group.states > MAXIMUM_STATES) return `Invalid regex: repetitions unfold to more than ${MAXIMUM_STATES} states`
    } else if (groups["atom"] !== undefined) {
      append({ states: 1, varies: false, ambiguous: false }, plainCharacter(matched))
    }
  }
  return null
}
