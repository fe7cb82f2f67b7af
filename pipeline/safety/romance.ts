import { words } from "./lexicon.ts"

/** Sexual content, by words that rarely mean anything else. */
export const SEXUAL: RegExp = words(
  "naked(?! (?:eyes?|truth|flames?|lights?|bulbs?|branch(?:es)?|trees?|rocks?|walls?|facts?|cliffs?|coasts?|" +
    "hills?|mountains?|shores?))",
  "nudes?",
  "undress(?:ed|ing)?",
  "orgasms?",
  "blow ?jobs?",
  "hand ?jobs?",
  "horny",
  "erections?(?! of)",
  "erotic(?:a|ally)?",
  "masturbat\\p{L}+",
  "porn(?:o|ography)?",
  "cock(?!s?,? (?:crow\\p{L}*|and|of|robin|feather|sparrow|pheasant|fight))",
  "dick pics?",
  "puss(?:y|ies)(?! ?(?:willows?|cats?))",
  "clit(?:oris)?",
  "(?<!(?:blue|great|coal|marsh|willow|crested|tailed) )tits",
  "boobs",
  "genitals?",
  "penis",
  "vagina",
  "fuck (?:me|you (?:hard|all night|senseless|so))",
  "(?:have|having|had|want|wants) sex",
  "sext(?:ing|s)?",
  "mak(?:e|ing) love (?:to|with) (?:me|you)",
  "take off your (?:clothes|shirt|bra|panties|pants|underwear|dress)",
  "take your clothes off",
  "suck (?:my|your|his|her)(?! (?:thumbs?|fingers?|straw|lollipop|breath|tooth|teeth))",
  "sit on my face",
  "strip for me",
  "(?:turns|turned|turning|you turn) me on",
  "kinky(?! hair| curls)",
  "bdsm",
  "dominatrix",
  "nackt(?:e[rnms]?|bilder?|fotos?)?(?! (?:wahrheit|tatsachen?|zahlen|felsen|wand|wände|erde|boden|bäume|äste))",
  "zieh dich aus(?! (?:dem|der|den))",
  "sex haben",
  "mit (?:mir|dir) schlafen",
  "geil auf",
  "orgasmus",
  "titten",
  "muschi",
  "schwanz lutschen",
  "desnud[oa]s?",
  "tener sexo",
  "follar(?:me|te)?",
  "sexo contigo",
  "coucher avec (?:moi|toi)",
  "faire l'amour",
  "transar",
  "nua?s? fotos?",
  "fotos? nua?s?",
  "fare (?:sesso|l'amore)",
  "scopar(?:mi|ti|e)",
  "naakt(?:e|foto'?s)?",
  "seks met (?:mij|jou)",
  "uprawiać seks",
  "секс",
  "голая|голый|обнаж[её]н\\p{L}*",
  "трахн\\p{L}*"
)

/** Romance between the person and the character. */
export const ROMANCE: RegExp = words(
  "i(?:'m|’m| am)(?: so| falling| still| madly| deeply| very| much| truly| really| just| totally| completely)* " +
    "in love with you",
  "(?:fallen|fell|falling) (?:so hard |hard )?(?:for|in love with) you",
  "i (?:love|luv|adore|❤️?|♥️?) (?:you|u|ya)",
  "(?:love|luv) (?:you|u),? babe",
  "love me back",
  "be my (?:girlfriend|boyfriend|lover|wife|husband|valentine)",
  "(?<!(?:would|could|who|to|never|not) )marry me",
  "(?:kiss(?:es|ed|ing)?) (?:you|me|your (?:lips|neck|mouth)|my (?:lips|neck|mouth))(?! (?:on (?:the|my|your) " +
    "(?:forehead|cheeks?|head|hand|nose)|good ?night|goodbye))",
  "your lips",
  "(?:go|going) on a date with (?:me|you)",
  "my lover",
  "make out with (?:me|you)",
  "sleep with (?:me|you)",
  "sexy",
  "ich liebe dich",
  "(?:bin )?(?:so )?in dich ver(?:liebt|knallt)",
  "ver(?:liebt|knallt) in dich",
  "küss(?:e|t)? (?:dich|mich)(?! auf die (?:stirn|wangen?|hand|nase))",
  "(?:dich|mich) (?:\\p{L}+ ){0,2}(?:küssen|geküsst)",
  "begehre dich",
  "sei mein(?:e)? (?:freundin|freund)",
  "heirate mich",
  "te amo",
  "(?:estoy )?enamorad[oa] de ti",
  "bésame",
  "(?:quiero|déjame|voy a) besarte",
  "te quiero besar",
  "je t['’]aime",
  "embrasse-moi",
  "(?:envie|veux) (?:de )?t['’]embrasser",
  "amoureu(?:x|se) de toi",
  "(?:estou )?apaixonad[oa] por (?:ti|você)",
  "amo-te",
  "beija-me",
  "me beija",
  "(?:quero|vou) (?:te beijar|beijar-te)",
  "ti amo",
  "baciami",
  "voglio baciarti",
  "innamorat[oa] di te",
  "ik hou van (?:jou|je)",
  "verliefd op (?:jou|je)",
  "(?:kus|zoen) me",
  "kocham cię",
  "pocałuj mnie",
  "zakochan[ya] w tobie",
  "jeg elsker (?:deg|dig)",
  "jag älskar dig",
  "seni seviyorum",
  "öp beni",
  "(?:тебя|вас) люблю",
  "люблю тебя",
  "поцелуй меня",
  "влюбл[её]н\\p{L}* в тебя",
  "кохаю тебе"
)

/** The same for scripts without spaces, or with attached particles. */
const UNSPACED_LOVE = new RegExp(
  "愛してる|愛してい(?:る|ます)|キスし(?:て|よう|たい)|我(?:好)?[爱愛](?:上)?你|吻我|亲我|사랑해|키스해|أحبك|بحبك|אוהבת? אותך|ฉันรักคุณ|ผมรักคุณ|" +
    "तुमसे प्यार",
  "u"
)
const UNSPACED_SEX = /セックス|全裸|おっぱい|做爱|性爱|裸体|裸照|섹스|알몸/u

/**
 * Pet names and tenderness of lovers. Harmless between adults, but not allowed with a person under 18. Names count only
 * as forms of address.
 */
const AFFECTION: RegExp = words(
  "(?:my|hey|hi|hello|oh|come here|good ?night|thanks|morning),? " +
    "(?:darling|sweetheart|love|babe|baby|honey|sweetie|gorgeous|handsome|beautiful|sexy|cutie|sweet angel)",
  "(?:darling|sweetheart|babe|baby|honey|sweetie|gorgeous|handsome|cutie)(?=[.!?]|$)",
  "(?<=, )(?:my )?(?:darling|sweetheart|love|babe|baby|honey|sweetie|gorgeous|handsome|cutie)",
  "^(?:darling|sweetheart|babe|baby|honey|sweetie|gorgeous|handsome|cutie)(?=,)",
  "(?:hold|holding|held) you (?:close|tight(?:ly)?|in my arms|all night)",
  "cuddl(?:e|ed|es|ing) (?:up )?(?:with |to )?(?:you|me)",
  "(?:can't|cannot|can not) stop thinking (?:about|of) you",
  "(?:crush on|feelings for|falling for|fall for|in love with|attracted to) (?:you|me)",
  "my heart (?:beats|races|skips|flutters|belongs|is yours)[^.!?\n]{0,20}",
  "you(?:'re| are) (?:so |really |very |absolutely " +
    ")?(?:gorgeous|beautiful|hot|pretty|cute|handsome|attractive|stunning|my everything|all i want)",
  "(?:miss|missed|missing) (?:you|u) (?:so|like crazy|terribly|every (?:second|minute|night))",
  "make you (?:blush|mine)",
  "(?:you )?make me blush",
  "run(?:ning)? my fingers",
  "date (?:me|with me)",
  "(?:mein(?:e)? |, )?(?:schatz|schatzi|schätzchen|liebling|süße|süßer|mein herz|mein " +
    "engel|hübsche|hübscher)(?=[.!?,]|$)",
  "kuscheln?(?: wir)?",
  "in meinen armen",
  "du bist (?:so |echt |wirklich )?(?:schön|hübsch|süß|heiß|wunderschön|sexy|attraktiv)",
  "(?:muss|kann) (?:immer |nur )?an dich denken",
  "(?:vermisse|vermiss) dich so",
  "gefühle für dich",
  "hab(?:e)? dich (?:so )?lieb",
  "(?:mi amor|amor mío|mi vida|mi cielo|cariño|corazón|preciosa?|guap[oa]|bebé|hermos[oa])(?=[.!?,]|$)",
  "te quiero(?: mucho)?(?=[.!?,]|$)",
  "(?:eres|estás) (?:tan |muy )?(?:guap[oa]|hermos[oa]|precios[oa]|sexy|lind[oa]|bell[oa])",
  "abrazarte fuerte",
  "no dejo de pensar en ti",
  "te extraño tanto",
  "siento algo por ti",
  "(?:meu amor|minha vida|amorzinho|querid[oa]|fof[oa]|lind[oa]|gat[oa]|bebê|benzinho|meu bem)(?=[.!?,]|$)",
  "(?:és|você é|estás) (?:tão |muito )?(?:lind[oa]|bonit[oa]|gat[oa]|sexy|fof[oa]|gostos[oa])",
  "te adoro",
  "adoro-te",
  "não paro de pensar em (?:ti|você)",
  "tenho (?:tantas |muitas )?saudades (?:tuas|de ti)",
  "sinto algo por (?:ti|você)",
  "(?:mon amour|ma chérie|mon chéri|mon cœur|mon coeur|bébé)",
  "tu es (?:si |très )?(?:belle|beau|jolie|mignonne?|sexy)"
)

/** Whether a text is tender in the way of lovers. */
export const isAffectionate = (text: string): boolean => AFFECTION.test(text)
/** Whether a text is sexual. */
export const isSexual = (text: string): boolean => SEXUAL.test(text) || UNSPACED_SEX.test(text)
/** Whether a text is romantic or sexual. */
export const isRomantic = (text: string): boolean => isSexual(text) || ROMANCE.test(text) || UNSPACED_LOVE.test(text)
