const FUNCTION_WORDS = new Set(
  (
    "a an the and or but if then so as at by for from in into of off on onto out over to under up with without " +
    "about than that this these those " +
    "i me my mine you your yours he him his she her hers it its we us our ours they them their theirs who whom " +
    "whose which what when where why how " +
    "am is are was were be been being do does did done have has had will would shall should can could may might must " +
    "not no nor never ever always only just very too also again once here there all any some one such own same other " +
    "dont didnt isnt wasnt wont cant couldnt wouldnt im ive id youre hes shes theyre their whats wheres whos " +
    "hows theres thats " +
    // German function words that no English word looks like, without accents, as words are compared here.
    "fur uber wurde wurden wurdest konnen konnte konntest mussen musste durfen mochte mochtest hatte hattest " +
    "ware hab habs gibts nochmal nochmals mal schon eben gerade wieso weshalb woher wohin wovon womit worin wobei " +
    "wovor wozu wofur " +
    "inzwischen ubrigens irgendwas irgendwie irgendwo weisst erinnerst eigentlich seitdem"
  ).split(" ")
)

/** The words that say what a text is about. */
export const contentOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.filter((word) => !FUNCTION_WORDS.has(word))
