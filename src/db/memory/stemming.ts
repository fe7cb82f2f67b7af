/** PostgreSQL's Snowball dictionaries by language. They reduce words to stems, and drop stop words. */
const DICTIONARIES: Readonly<Record<string, string>> = {
  ar: "arabic",
  hy: "armenian",
  eu: "basque",
  ca: "catalan",
  da: "danish",
  nl: "dutch",
  en: "english",
  fi: "finnish",
  fr: "french",
  de: "german",
  el: "greek",
  hi: "hindi",
  hu: "hungarian",
  id: "indonesian",
  ga: "irish",
  it: "italian",
  lt: "lithuanian",
  ne: "nepali",
  nb: "norwegian",
  nn: "norwegian",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sr: "serbian",
  es: "spanish",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish",
  yi: "yiddish"
}

/**
 * The dictionary for the first of these language tags that has one. `simple` keeps every word unchanged. English if no
 * tag is given.
 */
export const dictionaryFor = (tags: ReadonlyArray<string | null | undefined>): string => {
  const languages = tags.flatMap((tag) =>
    tag === null || tag === undefined || tag === "" ? [] : [tag.toLowerCase().split(/[-_]/)[0] ?? ""]
  )
  if (languages.length === 0) return "english_stem"
  const known = languages.map((language) => DICTIONARIES[language]).find((dictionary) => dictionary !== undefined)
  return known === undefined ? "simple" : `${known}_stem`
}
