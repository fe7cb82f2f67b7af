/** "is that stupid?", of what the person has just told. */
const REASSURE = new RegExp(
  String.raw`^\W*(?:(?:and|but|so|or|idk|ok)[\s,]+){0,3}(?:(?:do you think )?(?:that['’]?s|it['’]?s|i['’]?m)|` +
    String.raw`(?:is|was|am) (?:that|this|it|i)) (?:being |so |really |` +
    String.raw`just )?` +
    String.raw`(?:stupid|silly|weird|strange|crazy|mad|normal|pathetic|selfish|daft|dumb|odd|wrong|ok|okay|bad|awful)` +
    String.raw`(?: of me)?\W*$`,
  "i"
)
const WANTS_TO_BE_ASKED = new RegExp(
  String.raw`\bask me (?:something|anything|a question)\b|\b(?:want|like|anything|something|questions?) ` +
    String.raw`(?:to ask|for) me\b|^\W*your turn\b|\bwhat (?:should|shall|do you want to|would you like to|can|` +
    String.raw`could) (?:we )?(?:talk|speak|chat) about\b`,
  "i"
)

/** Whether a message asks if what the person has just told is all right. */
export const asksForReassurance = (text: string): boolean => REASSURE.test(text)

/** Whether a message asks the character to choose the topic. */
export const wantsToBeAsked = (text: string): boolean => WANTS_TO_BE_ASKED.test(text)
