/**
 * Words of somebody else that a message quotes after a name for them and a colon (`my aunt: "when i die ..."`). Only of
 * relatives and people at work: "my head: "jump"" is the person's own thought.
 */
const RELATIVES = [
  "(?:grand)?(?:mother|father|ma|pa)(?:[- ]in[- ]law)?|mum|mom|dad|nan|gran|granny|aunt|uncle|brother|sister|boss",
  "(?:schwieger|groß|gross)?(?:mutter|vater|mama|papa)|oma|opa|tante|onkel|bruder|schwester|chef|chefin",
  "suegr[ao]|abuel[ao]|mamá|papá|mam[ai]|papi|tí[ao]|herman[ao]|jef[ea]",
  "sogr[ao]|v[óô]|avó|avô|mãe|pai|ti[ao]|irmão?|chefe"
].join("|")
const QUOTATION = String.raw`["“”„«][^"“”„«»\n]{1,200}["“”«»]`
const OF_OTHERS = new RegExp(String.raw`(?<!\p{L})(?:my|meine?|mi|meu|minha) (?:${RELATIVES}) ?: ?${QUOTATION}`, "giu")

/** A text without the words of others. */
export const withoutOthersWords = (text: string): string => text.replace(OF_OTHERS, " ")
