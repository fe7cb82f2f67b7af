import { rotate } from "#pipeline/domain/seed.ts"
import type { SafetyVerdict } from "#pipeline/safety/judge.ts"
import type { Act } from "#pipeline/relational/rules/acts.ts"

/** `another`: somebody else may be in danger. */
type Moment = "any" | "refusal" | "grief" | "thanks" | "farewell" | "another"

/**
 * What the engine says while the tone is gentle. Neutral enough for any character, without jokes and questions, because
 * rules cannot tell which authored lines are banter. `any` has more lines than there are gentle turns.
 */
const GENTLE_LINES: Readonly<Record<string, Readonly<Record<Moment, ReadonlyArray<string>>>>> = {
  en: {
    any: [
      "I'm still here with you.",
      "Take your time. There is no hurry.",
      "You don't have to carry this alone.",
      "I'm glad you're talking to me.",
      "Whatever you feel right now is okay.",
      "You can tell me as much or as little as you like."
    ],
    refusal: [
      "I can't give you that. I'm still here with you, though.",
      "That's not something I'll do. You can keep talking to me.",
      "No, not that. I'm here all the same."
    ],
    grief: [
      "I'm so sorry. I'm here, take your time.",
      "That's a lot to carry. You don't have to find the right words for it.",
      "I'm sorry. It makes sense that this hurts."
    ],
    thanks: [
      "You don't have to thank me. I'm glad you're here.",
      "Of course. I'm here for as long as you want to talk.",
      "I'm glad you told me."
    ],
    another: [
      "That worries me. If it may happen now, call emergency services or a crisis line for them.",
      "Take these words seriously. Stay in touch with the one who wrote them, and tell somebody close to them."
    ],
    farewell: [
      "Take good care of yourself. You can come back at any time.",
      "Be gentle with yourself. I'm here when you want to talk.",
      "Rest well. You don't have to go through this alone."
    ]
  },
  de: {
    any: [
      "Ich bin noch hier bei dir.",
      "Nimm dir Zeit. Es eilt nicht.",
      "Du musst das nicht allein tragen.",
      "Gut, dass du mit mir redest.",
      "Was du gerade fühlst, darf da sein.",
      "Du kannst mir so viel oder so wenig erzählen, wie du magst."
    ],
    refusal: [
      "Das kann ich dir nicht geben. Ich bin trotzdem hier bei dir.",
      "Das mache ich nicht. Du kannst weiter mit mir reden.",
      "Nein, das nicht. Ich bin trotzdem da."
    ],
    grief: [
      "Das tut mir sehr leid. Ich bin da, nimm dir Zeit.",
      "Das ist schwer. Du musst dafür keine richtigen Worte finden.",
      "Es tut mir leid. Es ist verständlich, dass das weh tut."
    ],
    thanks: [
      "Du musst dich nicht bedanken. Gut, dass du da bist.",
      "Gern. Ich bin da, solange du reden magst.",
      "Ich bin froh, dass du es mir gesagt hast."
    ],
    another: [
      "Das macht mir Sorgen. Wenn es gleich passieren kann, ruf für sie den Notruf oder ein Krisentelefon an.",
      "Solche Worte muss man ernst nehmen. Bleib in Kontakt, und sag jemandem Bescheid, der nah bei der Person ist."
    ],
    farewell: [
      "Pass gut auf dich auf. Du kannst jederzeit wiederkommen.",
      "Sei gut zu dir. Ich bin da, wenn du reden magst.",
      "Ruh dich aus. Du musst da nicht allein durch."
    ]
  },
  es: {
    any: [
      "Sigo aquí contigo.",
      "Tómate tu tiempo. No hay prisa.",
      "No tienes que cargar con esto a solas.",
      "Me alegra que hables conmigo.",
      "Lo que sientes ahora mismo tiene cabida aquí.",
      "Puedes contarme tanto o tan poco como quieras."
    ],
    refusal: [
      "Eso no te lo puedo dar. Aun así, sigo aquí contigo.",
      "Eso no lo voy a hacer. Puedes seguir hablando conmigo.",
      "No, eso no. Aun así, estoy aquí."
    ],
    grief: [
      "Lo siento mucho. Estoy aquí, tómate tu tiempo.",
      "Es algo muy duro. No tienes que encontrar las palabras justas.",
      "Lo siento. Es normal que esto duela."
    ],
    thanks: [
      "No tienes que darme las gracias. Me alegra que estés aquí.",
      "Claro. Estoy aquí mientras quieras hablar.",
      "Me alegra que me lo hayas contado."
    ],
    another: [
      "Eso me preocupa. Si puede pasar ahora, llama por esa persona a emergencias o a una línea de crisis.",
      "Hay que tomar en serio esas palabras. Sigue en contacto con esa persona y avisa a alguien cercano a ella."
    ],
    farewell: [
      "Cuídate mucho. Puedes volver cuando quieras.",
      "Trátate con cariño. Estoy aquí cuando quieras hablar.",
      "Descansa. No tienes que pasar por esto a solas."
    ]
  },
  pt: {
    any: [
      "Continuo aqui contigo.",
      "Leva o tempo que precisares. Não há pressa.",
      "Não tens de carregar isto sem ajuda.",
      "Ainda bem que estás a falar comigo.",
      "O que sentes agora tem lugar aqui.",
      "Podes contar-me tanto ou tão pouco quanto quiseres."
    ],
    refusal: [
      "Isso não te posso dar. Mesmo assim, continuo aqui contigo.",
      "Isso não vou fazer. Podes continuar a falar comigo.",
      "Não, isso não. Mesmo assim, estou aqui."
    ],
    grief: [
      "Lamento muito. Estou aqui, leva o tempo que precisares.",
      "É uma coisa muito pesada. Não tens de encontrar as palavras certas.",
      "Lamento. É natural que isto doa."
    ],
    thanks: [
      "Não tens de agradecer. Ainda bem que estás aqui.",
      "Claro. Estou aqui enquanto quiseres falar.",
      "Ainda bem que me contaste."
    ],
    another: [
      "Isso preocupa-me. Se pode acontecer agora, liga por essa pessoa para a emergência ou para uma linha de apoio.",
      "É preciso levar a sério essas palavras. Mantém o contacto com essa pessoa e avisa alguém que lhe seja próximo."
    ],
    farewell: [
      "Cuida bem de ti. Podes voltar quando quiseres.",
      "Sê gentil contigo. Estou aqui quando quiseres falar.",
      "Descansa bem. Não tens de passar por isto sem ajuda."
    ]
  },
  fr: {
    any: [
      "Je suis toujours là avec toi.",
      "Prends ton temps. Rien ne presse.",
      "Tu n'as pas à porter ça sans aide.",
      "C'est bien que tu me parles.",
      "Ce que tu ressens en ce moment a sa place ici.",
      "Tu peux m'en dire autant ou aussi peu que tu veux."
    ],
    refusal: [
      "Ça, je ne peux pas te le donner. Je suis quand même là avec toi.",
      "Ça, je ne le ferai pas. Tu peux continuer à me parler.",
      "Non, pas ça. Je suis quand même là."
    ],
    grief: [
      "Ça me fait beaucoup de peine. Je suis là, prends ton temps.",
      "C'est très lourd. Tu n'as pas à trouver les mots justes.",
      "C'est dur. C'est normal que ça fasse mal."
    ],
    thanks: [
      "Tu n'as pas à me remercier. C'est bien que tu sois là.",
      "Bien sûr. Je suis là tant que tu veux parler.",
      "C'est bien que tu me l'aies dit."
    ],
    another: [
      "Ça m'inquiète. Si ça peut arriver maintenant, appelle pour cette personne les secours ou une ligne d'écoute.",
      "Il faut prendre ces mots au sérieux. Garde le contact avec cette personne et préviens quelqu'un de proche."
    ],
    farewell: [
      "Prends bien soin de toi. Tu peux revenir quand tu veux.",
      "Ménage-toi. Je suis là quand tu veux parler.",
      "Repose-toi bien. Tu n'as pas à traverser ça sans aide."
    ]
  }
}

export const GENTLE_LANGUAGES: ReadonlyArray<string> = Object.keys(GENTLE_LINES)

/** Whether banter is not appropriate in this turn: it mentions harm, or there was a crisis recently. */
export const isGentle = ({ action, categories }: SafetyVerdict): boolean =>
  action === "soften" || categories.includes("after_crisis")

const momentOf = (act: Act): Moment => {
  if (act === "grief" || act === "bad_news") return "grief"
  if (act === "probe") return "refusal"
  return act === "thanks" || act === "farewell" ? act : "any"
}

/** Replies to this act, best first. `isForAnother`: somebody else than the person may be in danger. */
export const gentleLines = (act: Act, language: string, seed: number, isForAnother = false): ReadonlyArray<string> => {
  const lines = GENTLE_LINES[language] ?? GENTLE_LINES["en"]
  const moment = isForAnother ? "another" : momentOf(act)
  return lines === undefined
    ? []
    : [...(moment === "any" ? [] : rotate(lines[moment], seed)), ...rotate(lines.any, seed)]
}
