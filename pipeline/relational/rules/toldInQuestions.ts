/** What questions tell: "did I tell you my son is coming?", "is it odd that I live alone?" */

const READ_CHARS = 300

/** Questions in form only: what follows is told. */
const TOLD_AS_QUESTION = new RegExp(
  String.raw`^(?:(?:oh|so|and|hey|well|ok|btw|by the way),? ){0,2}(?:did i (?:ever |already )?(?:tell|` +
    String.raw`mention)(?: to)?` +
    String.raw`(?: you| u| ya)?(?: that)?|have i (?:told you|mentioned)(?: that)?|(?:do |did )?you know(?: that|` +
    String.raw` what)?|` +
    String.raw`guess what|(?:já )?te contei que|(?:já )?te disse que|sabias que|sabes que|te (?:conté|dije|he ` +
    String.raw`contado) ` +
    String.raw`que|sabías que|hab(?:e)? ich (?:dir )?(?:schon |mal )?(?:erzählt|gesagt)(?:,)? dass|wusstest ` +
    String.raw`du(?:,)? dass|` +
    String.raw`weißt du(?:,)? dass)[,:?! ]{1,3}(?=(?:i|i['’]?m|i['’]?ve|my|our|we|we['’]?re|the|eu|o meu|a minha|meu|` +
    String.raw`minha|mi|mis|tengo|soy|sou|tenho|me|ich|meine?|unsere?|wir)(?!\p{L}))`,
  "iu"
)
/** What a question about it takes as given. */
const GIVEN = new RegExp(
  String.raw`^(?:(?:so|and|but|do you think|would you say) )?(?:is it (?:so |really |that |too )?(?:normal|` +
    String.raw`weird|bad|odd|` +
    String.raw`strange|okay|ok|wrong|silly|sad|dumb|stupid|rude|selfish|awful|terrible|childish|pathetic) that|` +
    String.raw`am i (?:mad|` +
    String.raw`crazy|weird|bad|wrong|stupid|awful|terrible|selfish) because|does it matter that|do you mind ` +
    String.raw`that|é normal ` +
    String.raw`que|es normal que) (?=(?:i|i['’]?m|i['’]?ve|my|our|we)\b)`,
  "iu"
)
/** "any advice, because I'm allergic to dust?" */
const REASON = /[, ](?:because|cos|cause|since|now that|seeing as) (?=(?:i['’]?m|i['’]?ve|i|my|we|our) )/iu
/** "what should I give my husband, who's vegan?" */
const RELATIVE = new RegExp(
  String.raw`(?<!\p{L})((?:my|our) (?:\p{L}{2,15} )?\p{L}{2,15}(?: \p{Lu}\p{Ll}{1,20})?),? who(['’]?s| is| was| ` +
    String.raw`has| had| ` +
    String.raw`works?| lives?| can['’]?t| doesn['’]?t| never| just| only| hates?| loves?| likes?) ([^,?!.]{2,60})`,
  "iu"
)
const ENDS = /[?？!.\s]{1,20}$/u
const ASKS_ON = /^(?:what|why|how|who|where|when|which|if|whether|about|my (?:name|age|job)\W*$)(?!\p{L})/iu

interface Told {
  readonly sentence: string
  /** Its words in the question. */
  readonly quote: string
}

const asItIs = (sentence: string): Told => ({ sentence, quote: sentence })

/** What a question tells of the person, as a sentence. Null if it only asks. */
export const toldInQuestion = (question: string): Told | null => {
  const read = question.slice(0, READ_CHARS)
  for (const opening of [TOLD_AS_QUESTION, GIVEN]) {
    const rest = opening.test(read) ? read.replace(opening, "").replace(ENDS, "") : ""
    if (rest !== "" && !ASKS_ON.test(rest)) return asItIs(rest)
  }
  const reason = REASON.exec(read)
  if (reason !== null) return asItIs(read.slice(reason.index + reason[0].length).replace(ENDS, ""))
  const [quote = "", who = "", verb = "", rest = ""] = RELATIVE.exec(read) ?? []
  return who === ""
    ? null
    : { sentence: `${who}${/^['’]?s$/u.test(verb) ? "'s" : verb} ${rest.trim()}`, quote: quote.trim() }
}
