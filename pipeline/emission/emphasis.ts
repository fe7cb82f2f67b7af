/**
 * Text between asterisks is either narrated ("*smiles*", "*he opens the door*") or stressed ("I *never* said that"). A
 * stressed word is part of what is said: without it, the sentence may mean the opposite.
 */

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "))

/** What people narrate in one word. */
const ACTIONS = words(
  "smiles nods sighs laughs grins chuckles shrugs blushes winks giggles smirks waves leans looks " +
    "glances pauses walks " +
    "turns sits stands takes shakes raises tilts bows gasps yawns whispers mutters rolls crosses puts stares frowns " +
    "gulps coughs hugs pats pokes purrs growls cries sniffs clears steps moves reaches pulls pushes " +
    "blinks hums snorts " +
    "scoffs pouts stretches licks wags kisses touches holds opens closes runs jumps falls points " +
    "scratches tugs bites " +
    "kneels sobs trembles shivers groans moans snickers beams gestures thinks sips drinks eats writes types reads " +
    "smile nod sigh laugh grin chuckle shrug blush wink giggle smirk wave lean pause bow gasp yawn frown " +
    "lächelt nickt seufzt lacht grinst zwinkert winkt kichert räuspert sorri ri acena suspira pisca abraça sonríe " +
    "asiente suspira ríe guiña sourit soupire rit hoche"
)
const MOST_WORDS = 4
/** How a narrated sentence begins. */
const NARRATES = words("he she they i his her their my the a an it er sie ich ele ela eu él ella yo il elle je")
const ADVERB = /(?:ly|ing)$/

/** Whether the words between asterisks are stressed. `before` and `after` is the rest of the line. */
export const isEmphasis = (inside: string, before: string, after: string): boolean => {
  if (inside.trim() !== inside || inside === "" || /[.!?…,;:]/.test(inside)) return false
  const said = inside.toLowerCase().split(/\s+/)
  const [first = ""] = said
  if (said.length > MOST_WORDS || ACTIONS.has(first)) return false
  const goesOn = /^(?:[.,!?…;:'’"”)]|\s+[\p{Ll}\p{N}(]|\s*$)/u.test(after)
  if (/[\p{L}\p{N},'’"“(]\s*$/u.test(before))
    return (
      goesOn &&
      (said.length === 1 || !NARRATES.has(first)) &&
      !(said.length > 1 && said.some((word) => ACTIONS.has(word)))
    )
  // At the beginning of a sentence only one word that the sentence needs: "*Never* do that."
  return said.length === 1 && !ADVERB.test(first) && /^\s+\p{Ll}/u.test(after)
}
