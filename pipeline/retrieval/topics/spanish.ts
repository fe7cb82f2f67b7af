/** Topic words of Spanish, as in `english.ts`. A group begins with its English name. */
export const SPANISH = `
pet: mascota mascotas animal animales | cat gato gata gatos gatito gatita | dog perro perra perros perrito cachorro |
  hamster | rabbit conejo | parrot loro periquito | horse caballo yegua | goldfish pez peces | turtle tortuga | raza
family: familia parientes hermanos padres | mother madre mama madrastra | father padre papa padrastro | sister hermana
  hermanas | brother hermano hermanos | grandmother abuela | grandfather abuelo | aunt tia | uncle tio | cousin primo
  prima | niece sobrina | nephew sobrino | twin gemelos gemelas mellizos
child: hijos hijas nino ninos ninas | son hijo | daughter hija | baby bebe embarazada
partner: pareja relacion casado casada casar soltero soltera prometido divorciado divorciada novio novia marido mujer
  esposa esposo | wife mujer esposa | husband marido esposo | boyfriend novio | girlfriend novia | ex
friend: amigo amiga amigos amigas
flatmate: companero companera piso
boss: jefe jefa
work: trabajo trabaja trabajas trabajar empleo profesion oficio dedico dedicas dedica empresa | teacher profesor
  profesora maestro maestra | nurse enfermero enfermera | doctor medico medica | dentist dentista | lawyer abogado
  abogada | carpenter carpintero | mechanic mecanico | cook cocinero cocinera | baker panadero panaderia | firefighter
  bombero bombera | vet veterinario veterinaria | engineer ingeniero ingeniera | developer programador programadora |
  student estudiante | pharmacist farmacia farmaceutico | bank banco | retired jubilado jubilada | unemployed paro
  despedido despedida | hotel oficina tienda fabrica turno hospital
study: estudio estudia estudias carrera universidad escuela examen tesis
home: casa vivo vive vives ciudad pueblo mude mudado piso direccion | garden jardin
origin: origen naci nacio crecido creci
allergy: alergia alergias alergico alergica intolerante | nuts nueces cacahuetes frutos | lactose lactosa leche |
  gluten celiaco celiaca | penicillin penicilina | pollen polen | shellfish marisco
diet: comer comida dieta | vegetarian vegetariano vegetariana | vegan vegano vegana | meat carne
health: salud enfermedad enfermo enferma | diabetic diabetes diabetico diabetica | asthma asma | heart corazon infarto
  | surgery operacion cirugia | cancer
medicine: medicamento medicamentos medicina pastillas | penicillin penicilina
team: equipo club aficionado hincha seguidor futbol | betis | sevilla | atletico | barcelona barca
hobby: aficion aficiones pasatiempo hobby libre | swimming nadar natacion | running correr | fishing pesca pescar |
  chess ajedrez | reading leer libros
instrument: instrumento ?toco ?toca musica | piano | guitar guitarra | violin | drums bateria | flute flauta
vehicle: coche carro conduzco auto | motorbike moto | bike bici bicicleta
language: idioma idiomas hablo habla lengua
birthday: cumpleanos cumplo
age: edad
name: nombre llama llamo llaman
fear: miedo miedos temo | spiders aranas | heights alturas | flying aviones
like: gusta gustan encanta favorito favorita
dislike: odio odia detesto
smoke: fumo fuma fumas cigarrillos
drink: bebo bebe alcohol vino cerveza
travel: viaje vacaciones viajar vuelo
wedding: boda
death: murio muerte fallecio
`
