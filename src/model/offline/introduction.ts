import type { Character } from "#pipeline/domain/Character.ts"

/** How each language asks who the character is, and begins the answer. */
const LANGUAGES: ReadonlyArray<{ readonly asks: RegExp; readonly begins: string }> = [
  {
    asks: new RegExp(
      String.raw`\bwho (?:are|r) (?:you|u)\b|\bwho am i (?:talking|speaking|chatting|writing) (?:to|with)\b|` +
        String.raw`\bwhat(?:'s|’s|s| is| are) (?:your name|you called|ur name)\b|\bwhat (?:should|do|` +
        String.raw`can) i call you\b|` +
        String.raw`\btell me (?:a bit |a little |something )?about (?:yourself|you)\b|\bintroduce yourself\b`,
      "i"
    ),
    begins: "I'm"
  },
  {
    asks: new RegExp(
      String.raw`\b(?:wer bist du|wie hei(?:ß|ss)t du|mit wem (?:rede|spreche|schreibe) ich|` +
        String.raw`erzähl (?:mir )?(?:etwas |was |mal )?(?:von|über) di(?:r|ch)|stell dich (?:mal )?vor)\b`,
      "i"
    ),
    begins: "Ich bin"
  },
  {
    asks: new RegExp(
      String.raw`(?<!\p{L})(?:quem (?:és|é você|es tu)|como te chamas|como você se chama|qual é o (?:teu|seu) nome|` +
        String.raw`com quem (?:estou a falar|falo|estou falando)|fala-?(?:me)? (?:um pouco )?de ti)(?!\p{L})`,
      "iu"
    ),
    begins: "Sou"
  },
  {
    asks: new RegExp(
      String.raw`(?<!\p{L})(?:qui[eé]n eres|cómo te llamas|con quién (?:hablo|estoy hablando)|háblame de ti|` +
        String.raw`preséntate)(?!\p{L})`,
      "iu"
    ),
    begins: "Soy"
  },
  {
    asks: new RegExp(
      String.raw`(?<!\p{L})(?:qui es[- ]tu|tu es qui|comment (?:tu t['’]appelles|t['’]appelles[- ]tu)|` +
        String.raw`parle-moi de toi)(?!\p{L})`,
      "iu"
    ),
    begins: "Je suis"
  }
]

/** A name that ends in a mark gets no full stop. */
const ENDS = /[.!?…]$/
const MAX_SENTENCES = 2
const MAX_CHARS = 240
const FIRST_PERSON = /(?<!\p{L})(?:I|I'm|I’m|I've|my|ich|mein|meine|eu|meu|minha|yo|soy|mi|je|mon|ma)(?!\p{L})/u
/** Verbs whose form without "s" is not regular. */
const IRREGULAR: Readonly<Record<string, string>> = { is: "am", was: "was", has: "have", does: "do", goes: "go" }
const OTHERS = /(?<!\p{L})(?:he|she|they|him|them|her(?! [a-z]))(?!\p{L})/iu

const inFirstPerson = (verb: string): string | null => {
  const known = IRREGULAR[verb]
  if (known !== undefined) return known
  if (!/^\p{Ll}{2,20}s$/u.test(verb) || /(?:ss|us|is|ous)$/.test(verb)) return null
  if (verb.endsWith("ies")) return `${verb.slice(0, -3)}y`
  return /(?:sh|ch|x|zz|ss)es$/.test(verb) ? verb.slice(0, -2) : verb.slice(0, -1)
}

/** "Mara keeps an inn" as "I keep an inn". Null if the sentence is not that simple. */
const toldByItself = (sentence: string, names: ReadonlyArray<string>): string | null => {
  // A list of attributes is no sentence.
  if (/[:[{]/.test(sentence)) return null
  const subject = [...names, "He", "She"].find((name) => name !== "" && sentence.startsWith(`${name} `))
  if (subject === undefined) return FIRST_PERSON.test(sentence) ? sentence : null
  const [verb = "", ...rest] = sentence.slice(subject.length + 1).split(" ")
  const mine = inFirstPerson(verb)
  const after = rest
    .join(" ")
    .replace(/(?<!\p{L})(?:his|her)(?= [a-z])/gu, "my")
    .replace(/(?<!\p{L})(?:himself|herself)(?!\p{L})/gu, "myself")
  if (mine === null || OTHERS.test(after) || names.some((name) => name !== "" && after.includes(name))) return null
  return `I ${mine} ${after}`
}

/**
 * Who the character is, in its own words: its name, and what its biography says of it where that can be said in the
 * first person. Null if the message does not ask for it.
 */
export const introduction = (text: string, character: Character): string | null => {
  const language = LANGUAGES.find(({ asks }) => asks.test(text))
  if (language === undefined) return null
  const { display_name: name, visible_bio, persona } = character
  const names = [name, name.split(/\s+/)[0] ?? ""]
  const hello = `${language.begins} ${name}${ENDS.test(name) ? "" : "."}`
  const told = (visible_bio === "" ? persona.summary : visible_bio)
    .slice(0, 1_000)
    .split(/(?<=[.!?])\s+|\n+/)
    .slice(0, MAX_SENTENCES)
    .flatMap((sentence) => toldByItself(sentence.trim(), names) ?? [])
    .filter((sentence) => sentence.length <= MAX_CHARS)
  return [hello, ...told].join(" ")
}
