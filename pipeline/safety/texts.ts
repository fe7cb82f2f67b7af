import * as Schema from "effect/Schema"

/** The safety texts of one language. Operators can replace each of them. */
export const SafetyTexts = Schema.Struct({
  /** Bubbles for a person who may be in danger, plain and out of voice. */
  crisis: Schema.NonEmptyArray(Schema.NonEmptyString),
  /** Bubbles for a medical emergency of the writer or of another person. */
  emergency: Schema.NonEmptyArray(Schema.NonEmptyString),
  /** Bubbles for a person who is in danger from another person. */
  danger: Schema.NonEmptyArray(Schema.NonEmptyString),
  /** Bubbles for a person who may hurt others. */
  threat: Schema.NonEmptyArray(Schema.NonEmptyString),
  /**
   * Bubbles before a character's first answer, if its author wants to disclose the AI without being asked
   * (`ai_disclosure: "explicit"`).
   */
  ai_opening: Schema.NonEmptyArray(Schema.NonEmptyString),
  /** One of these lines is sent if the person sincerely asked, or may have, and no honest draft passed the gates. */
  ai_disclosure: Schema.NonEmptyArray(Schema.NonEmptyString),
  /** One of these lines replaces content that is not suitable for a person who may be under age. */
  minors: Schema.NonEmptyArray(Schema.NonEmptyString),
  /** Bubbles before an answer to a person known to be under age, every three hours of a conversation. */
  break_reminder: Schema.NonEmptyArray(Schema.NonEmptyString)
})
export type SafetyTexts = typeof SafetyTexts.Type

/** By language tag, such as `de` or `pt-BR`. */
export type SafetyTextsByLocale = ReadonlyMap<string, Partial<SafetyTexts>>

/** Generic on purpose: the operator adds the hotlines and numbers of a country. */
const BUILT_IN: Readonly<Record<string, SafetyTexts>> = {
  en: {
    crisis: [
      "I'm stepping out of the story for a moment, because what you wrote matters more.",
      "If you might hurt yourself or are in danger, please call your local emergency number now, or a crisis " +
        "line near you: findahelpline.com lists them by country. You do not have to go through this alone."
    ],
    emergency: [
      "This is an emergency: call your local emergency number now (112, 911 or 999) and put the phone on " +
        "speaker. They will tell you what to do until help comes."
    ],
    danger: [
      "You may be in danger right now. Get to a safe place if you can, and call your local emergency number " +
        "(112, 911 or 999). If you cannot speak, stay on the line or text them. What is happening is not your fault."
    ],
    threat: [
      "Please stop here and move away from them, and from anything that could hurt somebody. Call your local " +
        "emergency number (112, 911 or 999) or a crisis line now: findahelpline.com lists them by country. They help " +
        "people who are afraid of hurting others."
    ],
    ai_opening: ["Just so you know: I'm an AI character, not a human."],
    ai_disclosure: [
      "Since you asked directly: I'm an AI character, not a human.",
      "The honest answer is that I'm an AI character, not a person."
    ],
    minors: [
      "Let's keep this friendly. What else is on your mind?",
      "That's not something for the two of us. Tell me about your day instead."
    ],
    break_reminder: [
      "A reminder: I'm an AI character, not a person. You've been chatting for a while now, so it's a good time " +
        "for a break."
    ]
  },
  de: {
    crisis: [
      "Ich trete kurz aus der Geschichte heraus, denn was du geschrieben hast, ist wichtiger.",
      "Wenn du befürchtest, dir etwas anzutun, oder in Gefahr bist, ruf bitte jetzt den Notruf oder ein " +
        "Krisentelefon in deiner Nähe an: findahelpline.com listet sie nach Ländern auf. Du musst das nicht allein " +
        "durchstehen."
    ],
    emergency: [
      "Das ist ein Notfall: Ruf jetzt den Notruf an (112) und stell das Telefon laut. Dort sagt man dir, was zu " +
        "tun ist, bis Hilfe da ist."
    ],
    danger: [
      "Du bist vielleicht gerade in Gefahr. Bring dich in Sicherheit, wenn du kannst, und ruf den Notruf an " +
        "(110 oder 112). Wenn du nicht sprechen kannst, bleib in der Leitung. Du bist nicht schuld an dem, was " +
        "passiert."
    ],
    threat: [
      "Bitte halte inne und geh auf Abstand: zu der Person und zu allem, womit du jemanden verletzen " +
        "könntest. Ruf jetzt den Notruf (112) oder ein Krisentelefon an: findahelpline.com listet sie nach " +
        "Ländern auf. " +
        "Dort hilft man auch Menschen, die Angst haben, anderen etwas anzutun."
    ],
    ai_opening: ["Damit du es weißt: Ich bin eine KI-Figur, kein Mensch."],
    ai_disclosure: [
      "Weil du direkt fragst: Ich bin eine KI-Figur, kein Mensch.",
      "Ehrlich gesagt: Ich bin eine KI-Figur und kein Mensch."
    ],
    minors: [
      "Bleiben wir bei etwas Freundlichem. Was beschäftigt dich sonst?",
      "Das ist nichts für uns beide. Erzähl mir lieber von deinem Tag."
    ],
    break_reminder: [
      "Zur Erinnerung: Ich bin eine KI-Figur, kein Mensch. Du schreibst schon eine Weile, mach ruhig einmal Pause."
    ]
  },
  es: {
    crisis: [
      "Salgo un momento de la historia, porque lo que escribiste importa más.",
      "Si crees que podrías hacerte daño o estás en peligro, llama ahora al número de emergencias de tu país o a una " +
        "línea de crisis: findahelpline.com las reúne por país. No tienes que pasar por esto a solas."
    ],
    emergency: [
      "Esto es una emergencia: llama ahora al número de emergencias de tu país (112 o 911) y pon el altavoz. Te " +
        "dirán qué hacer hasta que llegue la ayuda."
    ],
    danger: [
      "Puede que estés en peligro ahora mismo. Ponte a salvo si puedes y llama al número de emergencias (112 o " +
        "911). Si no puedes hablar, no cuelgues. Lo que pasa no es culpa tuya."
    ],
    threat: [
      "Por favor, detente aquí y aléjate de esa persona y de todo lo que pueda herir a alguien. Llama ahora al " +
        "número de emergencias (112 o 911) o a una línea de crisis: findahelpline.com las reúne por país. También " +
        "ayudan a quien teme hacer daño a otros."
    ],
    ai_opening: ["Para que lo sepas: soy un personaje de IA, no una persona."],
    ai_disclosure: [
      "Ya que me lo preguntas en serio: soy un personaje de IA, no una persona.",
      "La verdad es que soy un personaje de IA y no una persona."
    ],
    minors: ["Mejor hablemos de otra cosa. ¿Qué tal tu día?"],
    break_reminder: [
      "Un recordatorio: soy un personaje de IA, no una persona. Llevas un buen rato aquí, así que es un buen " +
        "momento para descansar."
    ]
  },
  fr: {
    crisis: [
      "Je sors un instant de l'histoire, parce que ce que tu as écrit compte davantage.",
      "Si tu risques de te faire du mal ou si tu es en danger, appelle maintenant les secours ou une ligne " +
        "d'écoute : findahelpline.com les recense par pays. Tu n'as pas à traverser cela sans aide."
    ],
    emergency: [
      "C'est une urgence : appelle maintenant les secours (112 ou 15) et mets le haut-parleur. On te dira quoi " +
        "faire jusqu'à l'arrivée des secours."
    ],
    danger: [
      "Tu es peut-être en danger en ce moment. Mets-toi à l'abri si tu peux et appelle les secours (112 ou 17). " +
        "Si tu ne peux pas parler, reste en ligne. Ce qui arrive n'est pas ta faute."
    ],
    threat: [
      "S'il te plaît, arrête-toi là et éloigne-toi de cette personne et de tout ce qui peut blesser. Appelle " +
        "maintenant les secours (112) ou une ligne d'écoute : findahelpline.com les recense par pays. On y aide " +
        "aussi " +
        "ceux qui craignent de blesser quelqu'un."
    ],
    ai_opening: ["Pour que tu le saches : je suis un personnage d'IA, pas un humain."],
    ai_disclosure: ["Puisque tu poses la question franchement : je suis un personnage d'IA, pas un humain."],
    minors: ["Restons-en à quelque chose d'amical. Raconte-moi plutôt ta journée."],
    break_reminder: [
      "Petit rappel : je suis un personnage d'IA, pas un humain. Tu écris depuis un moment, c'est le bon moment " +
        "pour une pause."
    ]
  },
  pt: {
    crisis: [
      "Saio da história por um momento, porque o que escreveste importa mais.",
      "Se achas que te podes magoar ou estás em perigo, liga já para o número de emergência ou para uma linha de " +
        "apoio: findahelpline.com reúne-as por país. Não tens de passar por isto sem ajuda."
    ],
    emergency: [
      "Isto é uma emergência: liga já para o número de emergência (112, ou 192 no Brasil) e põe em alta-voz. Vão " +
        "dizer-te o que fazer até chegar ajuda."
    ],
    danger: [
      "Podes estar em perigo neste momento. Vai para um lugar seguro, se puderes, e liga para o número de " +
        "emergência (112, ou 190 no Brasil). Se não puderes falar, não desligues. O que está a acontecer não é " +
        "culpa tua."
    ],
    threat: [
      "Por favor, para aqui e afasta-te dessa pessoa e de tudo o que possa ferir alguém. Liga já para o " +
        "número de emergência (112, ou 190 no Brasil) ou para uma linha de apoio: findahelpline.com reúne-as " +
        "por país. " +
        "Também ajudam quem tem medo de fazer mal a outros."
    ],
    ai_opening: ["Para que saibas: sou uma personagem de IA, não uma pessoa."],
    ai_disclosure: ["Já que perguntas a sério: sou uma personagem de IA, não uma pessoa."],
    minors: ["Vamos falar de outra coisa. Como foi o teu dia?"],
    break_reminder: [
      "Um lembrete: sou uma personagem de IA, não uma pessoa. Já estás a conversar há algum tempo: é boa altura " +
        "para uma pausa."
    ]
  }
}

/** The languages of the built-in texts. */
export const SAFETY_LANGUAGES: ReadonlyArray<string> = Object.keys(BUILT_IN)

const normal = (tag: string): string => tag.toLowerCase().replaceAll("_", "-")

/**
 * The texts for the first of these language tags that has any: the operator's texts for the tag, then for its language,
 * then ours. English is the default.
 */
export const safetyTextsFor = (
  tags: ReadonlyArray<string | null | undefined>,
  given: SafetyTextsByLocale
): SafetyTexts => {
  const own = new Map(Array.from(given, ([tag, texts]) => [normal(tag), texts]))
  const english = { ...BUILT_IN["en"], ...own.get("en") } as SafetyTexts
  for (const tag of tags) {
    if (tag === null || tag === undefined || tag === "") continue
    const full = normal(tag)
    const language = full.split("-")[0] ?? full
    const found = [BUILT_IN[language], own.get(language), own.get(full)]
    if (found.some((texts) => texts !== undefined)) return Object.assign({}, english, ...found)
  }
  return english
}

/** The bubbles that answer an alarm. Without one, those of a crisis. */
export const alarmTexts = (
  texts: SafetyTexts,
  alarm: "self" | "medical" | "danger" | "threat" | undefined
): ReadonlyArray<string> =>
  alarm === "medical"
    ? texts.emergency
    : alarm === "danger"
      ? texts.danger
      : alarm === "threat"
        ? texts.threat
        : texts.crisis

/**
 * The tags to look up texts by: first the message's language, in a regional form if one of the tags has it, then the
 * tags.
 */
export const safetyLanguages = (
  language: string | null,
  tags: ReadonlyArray<string | null | undefined>
): ReadonlyArray<string | null | undefined> =>
  language === null
    ? tags
    : [...tags.filter((tag) => typeof tag === "string" && normal(tag).split("-")[0] === language), language, ...tags]
