import { terms } from "#pipeline/retrieval/terms.ts"

/** Normalizes texts so that a question and its paraphrase look alike. */

const SAME: Readonly<Record<string, string>> = {
  u: "you",
  ur: "your",
  ya: "you",
  r: "are",
  im: "i am",
  ive: "i have",
  youre: "you are",
  whats: "what is",
  wheres: "where is",
  whos: "who is",
  hows: "how is",
  dont: "do not",
  cant: "can not",
  doesnt: "does not",
  didnt: "did not",
  isnt: "is not",
  whens: "when is",
  whys: "why is",
  arent: "are not",
  wasnt: "was not",
  werent: "were not",
  havent: "have not",
  hasnt: "has not",
  wont: "will not",
  theyre: "they are",
  shes: "she is",
  hes: "he is",
  wanna: "want to",
  gonna: "going to",
  favorite: "favourite",
  fav: "favourite",
  color: "colour",
  mum: "mother",
  mom: "mother",
  dad: "father",
  kids: "children",
  kid: "child",
  scared: "afraid",
  frightened: "afraid",
  fear: "afraid",
  fears: "afraid",
  grandpa: "grandfather",
  grandad: "grandfather",
  grandma: "grandmother",
  granny: "grandmother",
  gran: "grandmother",
  nan: "grandmother",
  nana: "grandmother",
  bf: "boyfriend",
  gf: "girlfriend",
  taught: "teach",
  paid: "pay",
  saw: "see",
  seen: "see",
  came: "come",
  left: "leave",
  slept: "sleep",
  drank: "drink",
  swam: "swim",
  drove: "drive",
  caught: "catch",
  stole: "steal",
  stolen: "steal",
  spoke: "speak",
  woke: "wake",
  felt: "feel",
  clever: "smart",
  weirdest: "strangest",
  wildest: "strangest",
  craziest: "strangest",
  oddest: "strangest",
  toughest: "hardest",
  harder: "hardest",
  hard: "hardest",
  bought: "buy",
  made: "make",
  went: "go",
  ate: "eat",
  met: "meet",
  kept: "keep",
  lost: "lose",
  won: "win",
  fell: "fall",
  wrote: "write",
  gave: "give",
  sent: "send",
  broken: "broke",
  sang: "sing",
  found: "find",
  occupation: "job",
  profession: "job",
  career: "job",
  movie: "film",
  movies: "film",
  meal: "food",
  foods: "food",
  songs: "music",
  song: "music",
  novel: "book",
  grew: "grow"
}

/** Topics shared by several words. Each adds a word of its own, so that "dinner" also finds "food". */
const THEMES: ReadonlyArray<readonly [string, RegExp]> = [
  [
    "food",
    /^(?:food|eat|cook|breakfast|lunch|dinner|supper|hungry|recipe|dish|snack|bak|dessert|soup|drink|coffee|tea|wine)/
  ],
  ["weather", /^(?:weather|rain|snow|storm|cold|sunny|wind|fog|cloud|sky)/],
  ["childhood", /^(?:childhood|child|grow|young|little|born|school)/],
  [
    "love",
    new RegExp(
      "^(?:love|romance|romantic|married|marriage|husband|wife|girlfriend|boyfriend|partner|dat(?:e|ing)|single|" +
        "crush|kiss)"
    )
  ],
  ["afraid", /^(?:afraid|terrif|nightmare|dread)/],
  ["family", /^(?:famil|mother|father|parent|brother|sister|sibling|daughter|son$|grandmother|grandfather)/],
  ["job", /^(?:job|work|boss|colleague|shift|office)/],
  ["music", /^(?:music|sing|band|guitar|piano|cello|violin|concert|album)/],
  ["book", /^(?:book|read|author|poem|poetry)/],
  ["sleep", /^(?:sleep|insomnia|awake|dream)/],
  ["friend", /^(?:friend|lonely|alone|company)/],
  ["age", /^(?:age$|old$|birthday)/],
  ["animal", /^(?:animal|dog|cat$|pet|goat|bird|horse|rabbit)/],
  ["breakup", /^(?:broke$|breakup|dumped|divorc|separated)/],
  ["home", /^(?:home|live$|living|house|flat|apartment)/]
]

const STOP = new Set(
  (
    "a an the and or but if so as at by for from in into of on to with about than that this these those it its " +
    "i me my you your we us our they them their he she his her " +
    "what when where which who why how am is are was were be been do does did have has had can could will would " +
    "should not no just very really too any some all ever " +
    "tell know think like get got there here then now ok please hey well oh one thing things say said something " +
    "anything give show him himself herself today right still also much someone somebody remember recall sometimes " +
    "often usually lol haha lmao tho though bruh bro dude kinda exactly actually even yet ever place smth sup"
  ).split(" ")
)

const stem = (word: string): string => {
  const bare =
    word.length < 4
      ? word
      : word.length > 5 && word.endsWith("ing")
        ? word.slice(0, -3)
        : word.endsWith("ies")
          ? `${word.slice(0, -3)}y`
          : word.endsWith("ed")
            ? word.slice(0, -2)
            : word.endsWith("s") && !word.endsWith("ss")
              ? word.slice(0, -1)
              : word
  return bare.replace(/([bdgmnprt])\1$/, "$1").replace(/e$/, "")
}

const words = (text: string): ReadonlyArray<string> => terms(text).flatMap((term) => SAME[term]?.split(" ") ?? [term])

/** All words of a text, with contractions expanded and synonyms unified. */
export const wording = (text: string): string => words(text).join(" ")

/**
 * Every word with a theme begins with one of these. A Chinese text may have thousands of words that need no look-up.
 */
const FIRST_LETTERS = /^[a-z]/
const themesOf = (word: string): ReadonlyArray<string> =>
  FIRST_LETTERS.test(word) ? THEMES.flatMap(([theme, of]) => (of.test(word) ? [`theme${theme}`] : [])) : []

/** Whether two texts have a topic in common. */
export const sharesTheme = (one: string, other: string): boolean => {
  const themes = new Set(Array.from(new Set(words(other)), themesOf).flat())
  return Array.from(new Set(words(one))).some((word) => themesOf(word).some((theme) => themes.has(theme)))
}

/** The content words of a text, stemmed, and their themes. */
export const content = (text: string): string => {
  // A long text repeats its words.
  const shown = new Map<string, string>()
  return words(text)
    .flatMap((word) => {
      if (STOP.has(word)) return []
      const known = shown.get(word) ?? [stem(word), ...themesOf(word)].join(" ")
      shown.set(word, known)
      return [known]
    })
    .join(" ")
}
