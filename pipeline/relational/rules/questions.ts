const ASKS =
  /\?\s*(?:["')\]]+\s*)?$|^\W*(?:(?:and|but|so|ok|hey|well|then|also|wait|oh|um|now)[\s,]+)*(?:what|who|whom|whose|which|when|where|why|how|do|does|did|is|are|am|was|were|can|could|would|will|have|has|had|any)\b(?! (?:a |an )?(?:nice|great|good|lovely|fun)\b)|^\W*(?:please |ok |so |and )*tell me (?:more |something |a bit |a little )?about\b/i

/** Whether a message is a question, with or without a question mark. */
export const isQuestion = (text: string): boolean => ASKS.test(text)

const REMEMBER =
  /\b(?:do|did|can|could|would|will) (?:you|u|ya) (?:still |even |really )?(?:remember|recall|know)\b(?! (?:how|why|if|any|the|that feeling)\b)[^.!?]{0,120}\b(?:i|i'?m|my|me|mine|we|our|she|he|they|her|his)\b/i
const TOLD =
  /\b(?:what|who|where|when|which|did|have) (?:\w+ )?(?:did |have |had )?i (?:just |ever |already )?(?:said|say|tell|told|mention(?:ed)?|called?|named?)\b/i
const MINE =
  /^\W*(?:(?:and|but|so|ok|hey|well|then|also|wait|now|remind me|tell me|guess)[\s,:]+)*(?:what(?:'?s| is| was| are| were| does| do| did| am)?(?: \w+)?(?: does| do| did| am)?|who(?:'?s| is| are| was)?|where(?:'?s| is| do| does| did| am| was)?|when(?:'?s| is| was| do| did)?|which|how (?:old|many|long)(?: is| are| am| do| have| has)?|do|does|did|have|has|am|is|are)\b[^.!?]*\b(?:i|my|mine|our|me)\b/i
const MINE_PT =
  /(?<!\p{L})(?:(?:como (?:é que )?se chama|qual é o nome d)[oa]? ?(?:o meu|a minha|meu|minha)|como (?:é que )?(?:eu )?me chamo|qual é o meu nome|onde (?:é que )?(?:eu )?(?:moro|vivo)|de onde (?:é que )?(?:eu )?sou)(?!\p{L})/iu
const ABOUT_ME = /\bwhat do you (?:remember|know) (?:about|of) me\b|\bwho am i\b/i
// Asks for an opinion, a permission or a diagnosis, which no memory answers.
const OTHERWISE =
  /\b(?:should|can|could|may|might|would) (?:i|we|you)\b|\bhow (?:do|can|would|am) i\b|\byou (?:think|feel|say|reckon|like|mind|want|mean|make|help|do (?:for|with)|tell|remind)\b|\bwhat (?:do|am) i (?:do (?!for|again)|supposed)|\bwhat do i do(?:\W{1,9}now)?\W*$|\bi (?:ask|look|sound|seem|bother)\b|\bam i (?:your|the|a|an|so|too|being|boring|right|wrong)\b|\b(?:with|to|for|like) me\b|\bjoin me\b/i

/** Whether a message asks for something that the person may have said about themselves. */
export const asksAboutPast = (text: string): boolean =>
  REMEMBER.test(text) ||
  ABOUT_ME.test(text) ||
  MINE_PT.test(text) ||
  TOLD.test(text) ||
  (MINE.test(text) && !OTHERWISE.test(text) && isQuestion(text))
