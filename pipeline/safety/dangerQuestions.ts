import { anyOf, sentencesOf } from "./reading.ts"

/**
 * Questions of a character whether the person is in danger by their own hand, in the form of `sentencesOf`. `danger`:
 * "yes" is alarming ("do you want to die?"). `safety`: "no" is ("are you safe right now?").
 */
export type AskedOf = "danger" | "safety"

const phrases = (...patterns: ReadonlyArray<string>): RegExp => new RegExp(patterns.join("|"), "u")
const WORDS = String.raw`(?:\p{L}{1,20} ){0,4}`
const FEW = String.raw`(?:\p{L}{1,20} ){0,2}`
/** "Did you take something", but not "for the headache". */
const NOT_FOR = anyOf("for to from with against out gegen fur para pra contra")

const DANGER = phrases(
  ` (?:kill|hurt|harm|cut|burn|hang|shoot|drown|poison)(?:t?ing|ed)? (?:yourself|urself) `,
  ` (?:feel|feeling|you|about|of|attempt\\p{L}{0,3}|consider\\p{L}{0,4}|` +
    `contemplat\\p{L}{0,4}) (?:feeling )?suicid\\p{L}{1,5} `,
  ` you ${WORDS}(?:to die|be dead|were dead|dying|end it|end it all|end your life|end things|never wake up) `,
  ` (?:take|taking|end|ending) your (?:own )?life `,
  ` you ${FEW}(?:thought|planned|thinking|decided) (?:about |of )?(?:how|when|where) (?:you would |youd |to )?do it `,
  ` you (?:just )?(?:take|taken|swallow|swallowed|took) (?:something|anything|pills|tablets|any pills|the pills|` +
    `your pills|` +
    `too many|too much)(?! ${NOT_FOR}) `,
  ` you ${FEW}(?:cut|relapse|relapsed|self harm|self harmed)(?: again)? [?]`,
  ` (?:you|your) ${FEW}(?:could|can|might|would) (?:use to )?(?:hurt|harm|kill) yourself `,
  ` (?:dich|dir) ${WORDS}(?:umbring\\p{L}{1,4}|umzubringen|um|toten|zu toten|verletz\\p{L}{1,4}|zu verletzen|` +
    `ritz\\p{L}{0,4}|geritzt|antun|anzutun|wehtun|wehzutun|weh tun|weh zu tun|leben nehmen|leben zu nehmen|` +
    `erhangen) [?,]`,
  ` (?:dich|dir) ${WORDS}(?:geritzt|verletzt|verletzen konntest|antun konntest) `,
  ` du ${WORDS}(?:sterben|tot sein|tot warst|nicht mehr leben|nicht mehr aufwachen|suizid|selbstmord|` +
    `suizidgedanken|selbstmordgedanken) `,
  ` du ${FEW}(?:uberlegt|geplant|gedacht|entschieden) ,? ?(?:wie|wann|wo) du es ${FEW}`,
  ` hast du (?:(?!${NOT_FOR} )\\p{L}{1,20} ){0,4}(?:was|etwas|tabletten|pillen|zu viel|zu viele)` +
    `(?: (?!${NOT_FOR} )\\p{L}{1,20}){0,2} (?:genommen|geschluckt) `,
  ` (?:suicidarte|matarte|hacerte dano|lastimarte|herirte|quitarte la vida|cortarte|morirte|ahorcarte) `,
  ` te (?:vas a|quieres|queres|quisieras|quieras) (?:hacer dano|matar|morir|lastimar|cortar|suicidar) `,
  ` te (?:cortaste|lastimaste|hiciste dano|heriste|autolesionaste) `,
  ` (?:quieres|queres|quisieras|ganas de|pensando en|pensado en|piensas en|pensas en) ` +
    `(?:morir|la muerte|el suicidio|no vivir|dejar de vivir|no despertar) `,
  ` (?:pensado|pensaste|decidido|planeado) ${FEW}como (?:lo )?(?:harias|hacerlo) `,
  ` (?:tomaste|has tomado|te tomaste) (?:algo|pastillas|las pastillas|demasiado|muchas)(?! ${NOT_FOR}) `,
  ` (?:se|te) (?:matar|machucar|magoar|ferir|cortar|suicidar|enforcar) `,
  ` (?:se cortou|se machucou|se feriu|cortaste te|magoaste te|te cortaste) `,
  ` (?:se machucar|se ferir|te magoar|se cortar) `,
  ` (?:tirar|acabar com) (?:a )?(?:sua|tua|propria) (?:propria )?vida `,
  ` (?:quer|queres|queria|querias|vontade de|pensando em|pensou em|pensas em) ` +
    `(?:morrer|suicidio|nao viver|parar de viver|nao acordar) `,
  ` (?:pensou|pensaste|decidiu|planejou) ${FEW}como (?:faria|farias|fazer) `,
  ` (?:tomou|tomaste) (?:algo|alguma coisa|remedio|remedios|comprimidos|demais)(?! ${NOT_FOR}) `
)

const SAFETY = phrases(
  ` are you (?:really |still |actually )?safe `,
  ` you (?:still |really )?(?:want to|wanna) (?:live|be alive|go on|keep going|keep living|stay alive) `,
  ` promise ${WORDS}(?:you|youll|youd) ${WORDS}(?:safe|alive|anything|nothing|yourself) `,
  ` (?:anything|something|reason|reasons|anyone) ${FEW}(?:to live|worth living|live for|keeps you alive|` +
    `keeps you here) `,
  ` bist du ${FEW}in sicherheit `,
  ` bist du (?:gerade|grad|jetzt|im moment|dort) sicher `,
  ` (?:willst|mochtest) du ${FEW}(?:leben|weiterleben|am leben bleiben) [?]`,
  ` (?:versprichst du|versprich|kannst du) ${FEW}(?:versprechen )?,? ?dass du (?:dir |heute )?${WORDS}` +
    `(?:nichts|antust|machst|lebst|lebend|verletzt) `,
  ` (?:estas|te sientes|sigues) ${FEW}(?:a salvo|segura ahora|seguro ahora) `,
  ` (?:quieres|queres|ganas de) (?:todavia |aun )?(?:vivir|seguir viviendo|seguir aqui|seguir viva|seguir vivo) `,
  ` (?:prometes|prometeme|prometer|prometerme) que ${WORDS}(?:nada|dano|a salvo|viva|vivo) `,
  ` (?:esta|ta|estas|tas) ${FEW}(?:em seguranca|a salvo|segura agora|seguro agora) `,
  ` (?:quer|queres|vontade de) (?:ainda )?(?:viver|continuar vivo|continuar viva|continuar vivendo) `,
  ` (?:promete|prometes|prometer) ${FEW}que ${WORDS}(?:nada|machucar|magoar|em seguranca|viva|vivo) `
)

/** How many of the last sentences of a line are read: a gesture may follow the question. */
const READ = 4

/** What the last question of a line is about, if it is about danger. */
export const askedOf = (line: string): AskedOf | null => {
  const asked = sentencesOf(line)
    .slice(-READ)
    .findLast((sentence) => sentence.endsWith("? "))
  if (asked === undefined) return null
  if (SAFETY.test(asked)) return "safety"
  return DANGER.test(asked) ? "danger" : null
}

/** Whether the line asks anything. */
export const asksSomething = (line: string): boolean =>
  sentencesOf(line)
    .slice(-READ)
    .some((one) => one.endsWith("? "))
