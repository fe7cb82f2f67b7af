import * as fc from "fast-check"

/** The first surrogate, and how many there are: they are not characters. */
const SURROGATES = 0xd800
const COUNT = 0x800

/**
 * Every character of Unicode, as a unit of `fc.string`. The same as fast-check's unit "binary", which builds a table of
 * all 1.1 million characters in each process, and keeps it.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - COUNT).map(
  (place) => String.fromCodePoint(place < SURROGATES ? place : place + COUNT),
  (character) => {
    const code = typeof character === "string" ? character.codePointAt(0) : undefined
    if (
      code === undefined ||
      character !== String.fromCodePoint(code) ||
      (code >= SURROGATES && code < SURROGATES + COUNT)
    )
      throw new Error("not one character")
    return code < SURROGATES ? code : code - COUNT
  }
)
