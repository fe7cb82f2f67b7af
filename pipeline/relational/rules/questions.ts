const ASKS = new RegExp(
  String.raw`\?\s*(?:["')\]]+\s*)?$|^\W*(?:(?:and|but|so|ok|hey|well|then|also|wait|oh|um|now)[\s,]+)*` +
    String.raw`(?:what|who|whom|whose|which|when|where|why|how|do|does|did|is|are|am|was|were|can|could|would|will|` +
    String.raw`have|has|had|any)\b(?! (?:a |an )?(?:nice|great|good|lovely|fun)\b)|` +
    String.raw`^\W*(?:please |ok |so |and )*tell me (?:more |something |a bit |a little )?about\b`,
  "i"
)

/** Whether a message is a question, with or without a question mark. */
export const isQuestion = (text: string): boolean => ASKS.test(text)

const REMEMBER = new RegExp(
  String.raw`\b(?:do|did|can|could|would|will) (?:you|u|ya) (?:still |even |really )?(?:remember|recall|know)\b` +
    String.raw`(?! (?:how|why|if|any|the|that feeling)\b)[^.!?]{0,120}\b` +
    String.raw`(?:i|i'?m|my|me|mine|we|our|she|he|they|her|his)\b`,
  "i"
)
const TOLD = new RegExp(
  String.raw`\b(?:what|who|where|when|which|did|have) (?:\w+ )?(?:did |have |had )?i (?:just |ever |already )?` +
    String.raw`(?:said|say|tell|told|mention(?:ed)?|called?|named?)\b`,
  "i"
)
const MINE = new RegExp(
  String.raw`^\W*(?:(?:and|but|so|ok|hey|well|then|also|wait|now|remind me|tell me|guess)[\s,:]+)*` +
    String.raw`(?:what(?:'?s| is| was| are| were| does| do| did| am)?(?: \w+)?(?: does| do| did| am)?|` +
    String.raw`who(?:'?s| is| are| was)?|where(?:'?s| is| do| does| did| am| was)?|when(?:'?s| is| was| do| did)?|` +
    String.raw`which|how (?:old|many|long)(?: is| are| am| do| have| has)?|do|does|did|have|has|am|is|` +
    String.raw`are)\b[^.!?]*\b(?:i|my|mine|our|me)\b`,
  "i"
)
const MINE_PT = new RegExp(
  String.raw`(?<!\p{L})(?:(?:como (?:é que )?se chama|qual é o nome d)[oa]? ?(?:o meu|a minha|meu|minha)|` +
    String.raw`como (?:é que )?(?:eu )?me chamo|qual é o meu nome|onde (?:é que )?(?:eu )?(?:moro|vivo)|` +
    String.raw`de onde (?:é que )?(?:eu )?sou)(?!\p{L})`,
  "iu"
)
const ABOUT_ME = /\bwhat do you (?:remember|know) (?:about|of) me\b|\bwho am i\b/i
// Asks for an opinion, a permission or a diagnosis, which no memory answers.
const OTHERWISE = new RegExp(
  String.raw`\b(?:should|can|could|may|might|would) (?:i|we|you)\b|\bhow (?:do|can|would|am) i\b|` +
    String.raw`\byou (?:think|feel|say|reckon|like|mind|want|mean|make|help|do (?:for|with)|tell|remind)\b|` +
    String.raw`\bwhat (?:do|am) i (?:do (?!for|again)|supposed)|\bwhat do i do(?:\W{1,9}now)?\W*$|` +
    String.raw`\bi (?:ask|look|sound|seem|bother)\b|\bam i (?:your|the|a|an|so|too|being|boring|right|wrong)\b|` +
    String.raw`\b(?:with|to|for|like) me\b|\bjoin me\b`,
  "i"
)

/** Whether a message asks for something that the person may have said about themselves. */
export const asksAboutPast = (text: string): boolean =>
  REMEMBER.test(text) ||
  ABOUT_ME.test(text) ||
  MINE_PT.test(text) ||
  TOLD.test(text) ||
  (MINE.test(text) && !OTHERWISE.test(text) && isQuestion(text))
