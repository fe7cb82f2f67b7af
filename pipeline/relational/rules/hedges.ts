/** What people put before what they say. */
const HEDGE = new RegExp(
  String.raw`^(?:(?:(?:i (?:think|guess|suppose|believe(?! in )|mean|reckon|swear|feel like|must admit|have to admit|` +
    String.raw`(?:have to|must|should|ought to|might as well) (?:say|mention|add|explain|confess|tell you|point out)|` +
    String.raw`forgot to (?:say|mention)|just wanted to say)(?: that)?|did i tell you(?: that)?|you know(?: ` +
    String.raw`what)?|you see|` +
    String.raw`guess what|the thing is|(?:but )?for real|for once|ngl|not gonna lie|lmao|omg|long story short|yo|ayo|` +
    String.raw`whats good|what['’]s good|sorry|no wait|wait|welp|seriously|honestly|frankly|to be honest|tbh|` +
    String.raw`fyi|btw|by the way|random but|fun fact|oh and|sadly|` +
    String.raw`ok so|` +
    String.raw`unfortunately|luckily|turns out|apparently|obviously|basically|actually|anyway|well|so|ok|okay|oh|` +
    String.raw`ah|um|` +
    String.raw`haha|hahaha|lol|and|but|plus|ugh|hmm|hm|mm|then|because|cause|cos|übrigens|naja|und|aber|pois|olha|` +
    String.raw`pues|por cierto|e|y)(?:[,.!:…]+ | - | (?=\p{L}))|` +
    String.raw`(?:yeah|yes|yep|no|nope|nah|hey|heyy|hi|hiya|heya|hello|evening|morning|good (?:evening|morning|` +
    String.raw`day)|hello dear|` +
    String.raw`moin|servus|cheers|thanks|right|listen|hallo|hola|olá|oi|buenas|look|man|dude|wow|damn|ja|` +
    String.raw`nein|na|also|` +
    String.raw`sim|não|bom|sí|bueno|oye|ps)(?:[,.!:…]+ | - ))){1,4}`,
  "iu"
)
/** "bro i moved", and not "bro is a firefighter". */
const VOCATIVE = new RegExp(
  String.raw`^(?:bro|bruh|mate|dude|man|girl|sis|fam|pal|guys|folks|boss|dear|love|cara|mano|pá|meu|digga|alter|tío|` +
    String.raw`tía|chic[oa]|mujer|hombre)(?:, | (?=(?:i|i['’]?m|ive|we|you|u|this|that|so|what|listen|my|our|no|` +
    String.raw`eu|ich|` +
    String.raw`yo|tô|estou|tenho|tengo)\b))`,
  "iu"
)
const AFTER = new RegExp(
  String.raw`(?:,\s{0,2}|\s)(?:btw|by the way|lol|haha|hahaha|tbh|though|i think|i guess|you know|obviously|` +
    String.raw`sadly|:\)|xd)[.!\s]{0,9}$`,
  "iu"
)

/** A sentence without what people put before and after it: "oh and btw my cat is old lol". */
export const unhedged = (sentence: string): string => {
  const bare = sentence.replace(HEDGE, "").replace(VOCATIVE, "").replace(HEDGE, "").replace(AFTER, "").trim()
  return bare === "" ? sentence : bare
}
