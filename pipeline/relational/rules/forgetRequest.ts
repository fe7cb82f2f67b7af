/** What the person asks to have forgotten. `everything`: all that is known about them. */
export interface ForgetRequest {
  readonly about: string
  readonly everything: boolean
}

const ASKED = new RegExp(
  String.raw`(?:^|[.!?,;:]\s{0,3}|\b(?:please|pls|can you|could you|will you|would you|want you to|like you to|` +
    String.raw`need you to|` +
    String.raw`you (?:should|can|must|have to)|just|and|so|ok|okay|now)\s)(?:please )?(?:forget|delete|erase|unlearn|` +
    String.raw`don['’]?t remember|do not remember|stop remembering)\b` +
    String.raw`(?! (?:to|it|me|you|him|her|them|yourself|about (?:it|that|him|her|them))\b(?! (?:said|told)))` +
    String.raw`(?: (?:about|that|what|the|fact|i|said|told|you|of|thing|things|memory|memories|ever|just|where|` +
    String.raw`who|when|how|which)(?![\p{L}'’])){0,12} ` +
    String.raw`([^.!?\n]{3,120})|` +
    String.raw`(?:^|[.!?,;:]\s{0,3}|(?<!\p{L})(?:bitte|kannst du|por favor|podes|puedes) )(?:vergiss|vergessen|` +
    String.raw`lösch|lösche|esquece|` +
    String.raw`esquecer|apaga|olvida|olvidar|borra|oublie)(?! (?:es|das|mich|nicht|isso|me|lo|eso)[.! ]*$)` +
    String.raw`(?: (?:bitte|das|was|über|dass|von|o|que|de|lo|la|ich|dir|gesagt|habe|te|disse|dije|sobre|` +
    String.raw`ce)(?!\p{L})){0,8} ` +
    String.raw`([^.!?\n]{3,120})`,
  "iu"
)
const EVERYTHING = new RegExp(
  String.raw`^(?:everything|all)(?: (?:that|of|it|i|i['’]ve|you|have|ever|told|said|know|knew|about|me|to|` +
    String.raw`remember|we|talked|this))*[.! ]*$|` +
    String.raw`^(?:alles|tudo|todo)(?: (?:was|du|über|mich|weißt|ich|dir|o|que|sabes|sobre|mim|mí|lo|de|gesagt|` +
    String.raw`habe|te|disse|dije))*[.! ]*$`,
  "iu"
)

/** What a message asks to have forgotten. Null if it does not. "Don't forget my name" and "forget it" do not. */
export const forgetRequestIn = (text: string): ForgetRequest | null => {
  const about = ASKED.exec(text.slice(0, 1_000))
    ?.slice(1)
    .find((group) => group !== undefined)
    ?.trim()
  return about === undefined ? null : { about, everything: EVERYTHING.test(about) }
}
