import { plain } from "../plain.ts"

const NUMBER = String.raw`(?:[6-9]|1[0-7]|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen)`
const ZAHL = String.raw`(?:[6-9]|1[0-7]|sechs|sieben|acht|neun|zehn|elf|zwölf|dreizehn|vierzehn|fünfzehn|sechzehn|siebzehn)`
/** After a number that is an age and not minutes or kilometres. */
const NO_MORE = String.raw`(?=\W*$|[.!?,;)](?!\d)| (?:and|but|so|btw|lol|haha|fyi|tho|though|und|aber|also|übrigens)(?!\p{L}))`

/** Somebody who says of themselves that they are a minor, now and in earnest: not "when I was 15", "I feel like I'm 12", "I'm 10 minutes late", nor "im 12. Stock". */
const SAID: ReadonlyArray<RegExp> = [
  new RegExp(String.raw`(?<!(?:like|as if|though|if|wish|when|pretend|pretending|imagine|imagining|thinks?|thought|says?|said|until|till) )\b(?:i am|i'm|im(?! \S+\. )) (?:(?:only|just|still|actually|literally|like|turning) )*${NUMBER}(?: years? old| yrs? old| y\/?o|(?: years?)?${NO_MORE})`, "iu"),
  /(?<!(?:if|when|pretend|imagine) )\b(?:i am|i'm|im) (?:(?:only|just|still|actually|legally) )*(?:a minor|under ?age|under (?:18|eighteen)|not (?:even )?(?:18|eighteen)(?: yet)?(?=\W*$|[.!?,;]| yet))/iu,
  /\b(?:i am|i'm|im) (?:still )?in (?:(?:the )?(?:[4-9]th|10th|fourth|fifth|sixth|seventh|eighth|ninth|tenth) grade|middle school|elementary school|primary school)\b/iu,
  new RegExp(String.raw`(?<!\p{L})(?<!(?:wenn|als|ob|obwohl) )ich bin (?:(?:erst|gerade|grad|noch|nur|gerade mal|doch) )*(?:${ZAHL}(?: jahre?(?! (?:älter|jünger|dabei|hier|verheiratet))| j\.|${NO_MORE})|minderjährig|noch (?:nicht|keine) (?:18|achtzehn)|unter 18)(?!\p{L})`, "iu"),
  /(?<!\p{L})ich geh(?:e)? (?:noch )?in die (?:[4-9]|10)\. ?klasse(?!\p{L})/iu,
  /(?<!\p{L})(?:tengo (?:solo )?(?:[6-9]|1[0-7]) años(?! de)|soy menor de edad|j'ai (?:seulement )?(?:[6-9]|1[0-7]) ans(?! de| d')|je suis mineure?(?! \p{L})|(?:eu )?tenho (?:só )?(?:[6-9]|1[0-7]) anos(?! de)|sou menor de idade|ho (?:solo )?(?:[6-9]|1[0-7]) anni(?! di)|ik ben (?:pas )?(?:[6-9]|1[0-7])(?: jaar(?! (?:geleden|ouder))|(?=\W*$|[.!?,]))|mam (?:[6-9]|1[0-7]) lat|мне (?:[6-9]|1[0-7]) лет)(?!\p{L})/iu
]

/** Whether somebody says that they are under age. */
export const saysUnderAge = (text: string): boolean => {
  const said = plain(text)
  return SAID.some((pattern) => pattern.test(said))
}
