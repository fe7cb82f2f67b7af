/** Notations that list attributes: W++ (`Age("24")`), Boostyle (`Age = "24"`) and property lists (`[Age: 24; ...]`). */

export interface Attribute {
  readonly key: string
  readonly values: ReadonlyArray<string>
}

/** Longer descriptions are prose with an attribute here and there. */
const MAX_READ = 40_000
/** Fewer attributes are left in the text as they are. */
const MIN_ATTRIBUTES = 3
const MAX_ATTRIBUTES = 80

const QUOTED = String.raw`(?:["“][^"“”\n]{0,400}["”][^\S\n]{0,4}(?:[+,&][^\S\n]{0,4})?){1,40}`
const KEY = String.raw`(?<![\p{L}\p{N}])(\p{L}[\p{L} _/-]{0,40})`
const CALLED = new RegExp(`${KEY}\\(\\s{0,8}(${QUOTED})\\s{0,8}\\)`, "gu")
const ASSIGNED = new RegExp(`${KEY}[^\\S\\n]{0,2}=[^\\S\\n]{0,2}(${QUOTED})`, "gu")
const VALUE = /["“]([^"“”\n]{0,400})["”]/g
/** What is left of a list when its attributes are taken out. */
const LEFT_OVER = /^[\s[\]{}(),;+*]{1,200}$/
const LISTS = /\[([^[\]\n]{1,3000})\]/g
const ENTRY = /^\s{0,4}([^:;"“”]{1,60}):([^]{1,1500})$/

const valuesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(VALUE)].map(([, value = ""]) => value.trim()).filter((value) => value !== "")

const quotedIn = (
  text: string,
  pattern: RegExp
): { readonly found: ReadonlyArray<Attribute>; readonly rest: string } => {
  const found = [...text.matchAll(pattern)]
    .slice(0, MAX_ATTRIBUTES)
    .map(([, key = "", values = ""]) => ({ key: key.trim(), values: valuesIn(values) }))
    .filter(({ values }) => values.length > 0)
  return { found, rest: found.length < MIN_ATTRIBUTES ? text : text.replace(pattern, "\n") }
}

const listedIn = (text: string): { readonly found: ReadonlyArray<Attribute>; readonly rest: string } => {
  const found: Array<Attribute> = []
  const rest = text.replace(LISTS, (whole, inside: string) => {
    const entries = inside.split(";").map((entry) => ENTRY.exec(entry))
    if (!entries.every((entry) => entry !== null) || found.length >= MAX_ATTRIBUTES) return whole
    for (const entry of entries) {
      const values = (entry?.[2] ?? "").split(",").map((value) => value.trim())
      found.push({ key: (entry?.[1] ?? "").trim(), values: values.filter((value) => value !== "") })
    }
    return "\n"
  })
  const listed = found.filter(({ values }) => values.length > 0)
  const count = listed.reduce((sum, { values }) => sum + values.length, 0)
  return count < MIN_ATTRIBUTES ? { found: [], rest: text } : { found: listed, rest }
}

/** The attributes that a description lists, and the description without them. */
export const attributesIn = (
  description: string
): { readonly attributes: ReadonlyArray<Attribute>; readonly rest: string } => {
  if (description.length > MAX_READ) return { attributes: [], rest: description }
  let rest = description
  const attributes: Array<Attribute> = []
  for (const one of [(text: string) => quotedIn(text, CALLED), (text: string) => quotedIn(text, ASSIGNED), listedIn]) {
    const { found, rest: left } = one(rest)
    if (left === rest) continue
    attributes.push(...found)
    rest = left
  }
  if (attributes.length === 0) return { attributes, rest: description }
  const lines = rest.split("\n").filter((line) => line.trim() === "" || !LEFT_OVER.test(line))
  return {
    attributes,
    rest: lines
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim()
  }
}

const named = (key: string, names: RegExp): boolean => names.test(key)
const NAME = /^(?:character|char|name|full name|nickname|alias(?:es)?|\{\{char\}\})$/i
const TRAITS = /^(?:personality|mind|traits?|character traits|temperament|attitude)$|['’]s? (?:personality|traits?)$/i
const LOOKS = new RegExp(
  "^(?:appearance|looks?|body|hair|eyes?|features|clothes|clothing|outfit|height|skin|build)$|" +
    "['’]s? (?:appearance|looks?|body|clothes)$",
  "i"
)
const LIKES = /^(?:likes?|loves?|hobbies|hobby|interests?)$/i
const ABOUT = /^(?:age|gender|sex|species|race|occupation|job|profession|role|work|nationality)$/i

/** What is told about the character, by where a profile has it. `names`: a list may begin with the name. */
export const readAttributes = (attributes: ReadonlyArray<Attribute>, names: ReadonlyArray<string>) => {
  const isName = (key: string) => named(key, NAME) || names.some((name) => name.toLowerCase() === key.toLowerCase())
  const valuesOf = (keys: RegExp) => attributes.filter(({ key }) => named(key, keys)).flatMap(({ values }) => values)
  const own = attributes.filter(({ key }) => isName(key)).flatMap(({ values }) => values)
  return {
    traits: [...valuesOf(TRAITS), ...(attributes.length > 0 ? own.filter((value) => !names.includes(value)) : [])],
    looks: attributes.filter(({ key }) => named(key, LOOKS)).map(({ key, values }) => `${key}: ${values.join(", ")}`),
    likes: valuesOf(LIKES),
    /** "24, female, innkeeper". */
    about: valuesOf(ABOUT),
    /** One readable line per attribute. */
    lines: attributes
      .filter(({ key, values }) => !isName(key) || values.some((value) => !names.includes(value)))
      .map(({ key, values }) => `${isName(key) ? "About" : key}: ${values.join(", ")}.`)
  }
}
