/** Words of cries for help, to be found in letters that were written without spaces between words. */
const WORDS = new Set(
  `i im a am id ill ive dont cant want wanna to die dead kill killing killed my myself me self is all think about \
suicide
  end ending it life live living alive not no more be here in on the hate gonna going will hurt cut jump please help
  tonight today now overdose pills of and just
  ich will mich nicht mehr leben sterben bring bringe um tot bin sein toten selbstmord suizid hilfe bitte kann
  heute nacht werde mache schluss zu und das alles hasse leid
  quiero morir morirme matarme me matar mato no mas vivir muerte muerto muerta estar suicidarme suicidio
  ayuda voy vida ya puedo la mi yo hoy
  eu quero morrer mim nao mais viver vou suicidio ajuda por favor socorro hoje morta morto acabar com tudo minha`.split(
    /\s+/
  )
)
/** Whether a word in lower case without accents is one of them. */
export const isInCries = (word: string): boolean => WORDS.has(word)

const LONGEST = 12
/** Shorter runs of letters are one word, longer ones no cry for help. */
const FEWEST_LETTERS = 6
const MOST_LETTERS = 80
const MARKS = /\p{M}/gu

/** Glued letters as words, if all of them are known words. Else as they are. */
export const wordsIn = (glued: string): string => {
  if (glued.length < FEWEST_LETTERS || glued.length > MOST_LETTERS) return glued
  const folded = glued.toLowerCase().normalize("NFD").replace(MARKS, "")
  /** For each place, the words up to there. The fewest words win. */
  const until: Array<ReadonlyArray<string> | undefined> = [[]]
  for (let to = 1; to <= folded.length; to++) {
    for (let from = Math.max(0, to - LONGEST); from < to; from++) {
      const before = until[from]
      const word = folded.slice(from, to)
      if (before === undefined || !WORDS.has(word)) continue
      const known = until[to]
      if (known === undefined || before.length + 1 < known.length) until[to] = [...before, word]
    }
  }
  return until[folded.length]?.join(" ") ?? glued
}
