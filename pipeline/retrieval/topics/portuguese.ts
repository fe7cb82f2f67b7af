/** Topic words of Portuguese, as in `english.ts`. A group begins with its English name. */
export const PORTUGUESE = `
pet: animal animais estimacao | cat gato gata gatos gatas gatinho gatinha | dog cao cadela caes cachorro cachorra
  cachorrinho | hamster | rabbit coelho | parrot papagaio periquito | horse cavalo egua | goldfish peixe peixes |
  turtle tartaruga | raca
family: familia parentes irmaos pais | mother mae mama madrasta | father pai papa padrasto | sister irma irmas mana |
  brother irmao irmaos mano | grandmother avo avozinha | grandfather avo avozinho | aunt tia | uncle tio | cousin primo
  prima | niece sobrinha | nephew sobrinho | twin gemeos gemeas
child: filhos filhas crianca criancas | son filho | daughter filha | baby bebe gravida
partner: companheiro companheira relacao casado casada casar casou solteiro solteira noivo noiva divorciado divorciada
  namorado namorada marido mulher esposa | wife mulher esposa | husband marido | boyfriend namorado | girlfriend
  namorada | ex
friend: amigo amiga amigos amigas
flatmate: colega
boss: chefe patrao patroa
work: trabalho trabalha trabalhas trabalhar emprego profissao oficio ganhar empresa | teacher professor professora |
  nurse enfermeiro enfermeira | doctor medico medica | dentist dentista | lawyer advogado advogada | carpenter
  carpinteiro | mechanic mecanico | cook cozinheiro cozinheira | baker padeiro padaria | engineer engenheiro engenheira
  | developer programador programadora | student estudante | bank banco | post correios | retired reformado reformada
  reforma | unemployed desempregado despedido | hospital escritorio loja fabrica turno
study: estudo estuda curso universidade faculdade escola exame tese
home: casa moro mora vivo vive vives moras morada cidade aldeia mudei mudou apartamento | garden jardim quintal
origin: origem nasci nasceu cresci natural terra
allergy: alergia alergias alergico alergica intolerante intolerancia | nuts nozes amendoim amendoins | lactose leite |
  gluten celiaco celiaca | penicillin penicilina | pollen polen | shellfish marisco mariscos camarao
diet: comer comida dieta | vegetarian vegetariano vegetariana | vegan vegano vegana | meat carne
health: saude doenca doente | diabetic diabetes diabetico diabetica | asthma asma | heart coracao enfarte | surgery
  operacao cirurgia operado operada | cancer cancro
medicine: medicamento medicamentos remedio remedios comprimidos | penicillin penicilina
team: equipa clube torco torce adepto adepta benfiquista sportinguista portista futebol | benfica | sporting
hobby: passatempo passatempos livres hobby | swimming nadar natacao | running correr corrida | fishing pesca pescar |
  chess xadrez | reading ler livros
instrument: instrumento ?toco ?toca musica | piano | guitar guitarra viola | violin violino | drums bateria | flute
  flauta
vehicle: carro conduzo conduz automovel | motorbike mota moto | bike bicicleta
language: lingua linguas falo fala
birthday: aniversario
age: idade
name: nome chama chamo chamam
fear: medo medos receio | spiders aranhas | heights alturas | flying avioes
like: gosto gosta adoro favorito favorita preferido preferida
dislike: odeio odeia detesto
smoke: fumo fuma fumas cigarros
drink: bebo bebe alcool vinho cerveja
travel: viagem ferias viajar voo
wedding: casamento
death: morreu morte faleceu
`
