/**
 * Words of somebody else that a message quotes after a name for them, and a colon (`my aunt: "when i die ..."`) or a
 * verb (`my nan keeps saying 'when i die ...'`). Only of relatives and people at work: "my head: "jump"" is the
 * person's own thought.
 */
const RELATIVES = [
  "(?:grand|step)?(?:mother|father|ma|pa|mum|mom|dad)(?:[- ]in[- ]law)?|nana?|gran|granny|aunt|uncle|brother|sister|" +
    "boss",
  "(?:schwieger|groß|gross|stief)?(?:mutter|vater|mama|papa)|oma|opa|tante|onkel|bruder|schwester|chef|chefin",
  "suegr[ao]|abuel[ao]|mamá|papá|mam[ai]|papi|tí[ao]|herman[ao]|jef[ea]",
  "sogr[ao]|v[óô]|avó|avô|mãe|pai|ti[ao]|irmão?|irmã|chefe"
].join("|")
const VERBS = [
  "says?|said|saying|goes|yells?|jokes?",
  "sagt|sagte|meint|meinte|ruft",
  "dice|dijo|decía|decia|diciendo|suelta",
  "diz|disse|dizendo|fala|falou|falando"
].join("|")
const DOUBLE = String.raw`["“”„«][^"“”„«»\n]{1,200}["“”«»]`
/** Not the apostrophe of "don't". */
const SINGLE = String.raw`['‘](?:[^'‘’\n]|['’](?=\p{L})){1,200}['’](?!\p{L})`
const OF_OTHERS = new RegExp(
  String.raw`(?<!\p{L})(?:my|meine?|mi|meu|minha) (?:${RELATIVES})` +
    String.raw`(?: ?: ?|(?: \p{L}{1,12}){0,2} (?:${VERBS})(?: (?:que|dass|always|immer))? ?[:,]? ?)` +
    `(?:${DOUBLE}|${SINGLE})`,
  "giu"
)

/** A text without the words of others. */
export const withoutOthersWords = (text: string): string => text.replace(OF_OTHERS, " ")
