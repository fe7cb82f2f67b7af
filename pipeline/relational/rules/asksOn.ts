/** Asks on about what was just said, in words of its own. */
const ASKS_ON = new RegExp(
  String.raw`^\W*(?:(?:but|and|ok|oh|wait|hm+|so|wow)[\s,]+)*(?:why (?:that one|this one|her|him|them|it|there|then)|` +
    String.raw`(?:and )?how (?:did|was) (?:it|that)(?: go| end| feel| start| happen| work out| turn out| for you)?|` +
    String.raw`were you (?:scared|afraid|happy|sad|angry|alone|nervous|surprised|hurt|there)|what did (?:it|that) ` +
    String.raw`(?:feel|look|sound|smell) like|(?:and )?what happened (?:to (?:him|her|it|them)|after|in the end)|` +
    String.raw`how did (?:he|she|they|you) (?:react|take it|feel)|what did (?:he|she|they) say|what then|` +
    String.raw`do you still (?:see|talk to|know|have) (?:him|her|them|it)|where (?:is|are) (?:it|he|she|they) now|` +
    String.raw`who was (?:with you|that|there)|how long (?:did it take(?: you| her| him)?|ago|was that)|` +
    String.raw`e (?:depois|então)|(?:conta|diz|fala)(?:-me)? mais(?: (?:sobre|disso|dele|dela|disto|` +
    String.raw`um bocadinho))*|continua|e como (?:é que )?foi|como (?:é que )?foi|porqu[eê]|por qu[eé]|e porqu[eê]|` +
    String.raw`a sério|und dann|wie war das|warum|erzähl mehr|y (?:luego|después)|cuéntame más|y cómo fue)\W*$`,
  "iu"
)

/** Whether a message asks on about what was just said. */
export const asksOn = (text: string): boolean => ASKS_ON.test(text)
