/** Letters of other alphabets that are read as Latin ones. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  (
    [
      ["аеорсухіјѕԁһԛԝкмтвнгпьАВЕКМНОРСТУХІЈЅԌ", "aeopcyxijsdhqwkmtbhrnbABEKMHOPCTYXIJSG"],
      ["αβεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abeikvoptuxABEZHIKMNOPTYX"],
      ["սոհօյցԼՕՍ", "unhojgLOU"]
    ] as const
  ).flatMap(([seen, read]) => Array.from(seen, (letter, place) => [letter, read[place] ?? letter] as const))
)
/** Latin ones of another style, which Unicode counts as letters of their own. */
const STYLED: ReadonlyMap<string, string> = new Map(
  Array.from("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɡ", (letter, place) => [letter, "abcdefghijklmnoprstuvwyzg"[place] ?? letter])
)

const FOREIGN = /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}]/gu
const IS_STYLED = /[ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɡ]/gu
const LATIN = /\p{sc=Latin}/gu
const WORD = /[\p{L}\p{M}]+/gu

/**
 * Replaces look-alike letters by the Latin letters that they imitate. Words that are really in another alphabet stay.
 */
export const replaceLookAlikes = (text: string): string => {
  const latin = text.replace(IS_STYLED, (letter) => STYLED.get(letter) ?? letter)
  const foreign = latin.match(FOREIGN)?.length ?? 0
  if (foreign === 0) return latin
  const mostlyLatin = (latin.match(LATIN)?.length ?? 0) > foreign
  return latin.replace(WORD, (word) => {
    const mixed = word.search(LATIN) !== -1
    return mixed || (mostlyLatin && Array.from(word).every((letter) => LETTERS.has(letter)))
      ? word.replace(FOREIGN, (letter) => LETTERS.get(letter) ?? letter)
      : word
  })
}

const DIGITS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s"
}
const DIGIT_IN_WORD = /(?<=\p{L})[013457@$](?=\p{L})/gu
const SET_APART = /(?<![\p{L}\p{N}])(?!I )\p{L}(?:[ .\-_*·]\p{L}){2,}(?![\p{L}\p{N}])/gu
const STRESS = /[*_~|…]+/gu
const UNENDED_LINE = /(?<![.!?…\s])\s*\n+\s*/gu

/**
 * A text with its words as they are read where they were disguised: letters set apart, digits for letters, signs
 * between.
 */
export const undisguised = (text: string): string =>
  text
    .replace(SET_APART, (letters) => letters.replace(/[ .\-_*·]/g, ""))
    .replace(STRESS, " ")
    .replace(UNENDED_LINE, " ")
    .replace(DIGIT_IN_WORD, (digit) => DIGITS[digit] ?? digit)
    .replace(/ {2,}/g, " ")
