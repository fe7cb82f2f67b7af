const FUNCTION_WORDS = new Set((
  "a an the and or but if then so as at by for from in into of off on onto out over to under up with without about than that this these those " +
  "i me my mine you your yours he him his she her hers it its we us our ours they them their theirs who whom whose which what when where why how " +
  "am is are was were be been being do does did done have has had will would shall should can could may might must " +
  "not no nor never ever always only just very too also again once here there all any some one such own same other " +
  "dont didnt isnt wasnt wont cant couldnt wouldnt im ive id youre hes shes theyre their"
).split(" "))

/** The words that say what a text is about. */
export const contentOf = (words: ReadonlyArray<string>): ReadonlyArray<string> => words.filter((word) => !FUNCTION_WORDS.has(word))
