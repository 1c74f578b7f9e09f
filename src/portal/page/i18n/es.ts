// The Spanish catalogue, for Spain and Latin America: “usted”, no “ordenador” or “computadora”, and the quotation marks of both.
// The operator follows “a”; the fallback has a possessive, with which “a” does not merge.
import { html } from '../../../html/html.ts'
import type { Messages } from './en.ts'
import { isOneOClock } from './format.ts'

export const es: Messages = {
  topbar: {
    language: 'Idioma',
    dark: 'Modo oscuro',
    skip: 'Ir al contenido',
    preview: 'Vista previa con datos de ejemplo: nada de esto es real.',
  },
  footer: {
    privacy: 'Aviso de privacidad',
    certificate: 'Certificado',
    certificateError: '¿Por qué apareció un error de certificado?',
    support: 'Contactar con soporte',
  },
  operator: {
    fallback: 'su administrador de red',
  },
  details: {
    heading: 'Detalles',
    requestedAddress: 'Dirección solicitada',
    rule: 'Regla',
    category: 'Categoría',
    reference: 'Referencia',
    time: 'Fecha y hora',
    support: 'Ayuda',
    version: 'Versión del portal',
    labelled: (label: string, value: string) => `${label}: ${value}`,
    copy: 'Copiar los detalles',
    copied: 'Copiado',
    selected: 'Texto seleccionado. Cópielo con el teclado o el menú.',
    shortened: 'La dirección se ha acortado.',
  },
  block: {
    title: 'Página bloqueada',
    heading: 'Esta página está bloqueada',
    noReason: 'Las normas de esta red no permiten esta página.',
    next: (operator) => html`¿Es un error? Avise a ${operator} e indique los detalles de abajo.`,
  },
  warn: {
    title: 'Advertencia',
    heading: 'Tenga cuidado con este sitio',
    headingCode: 'Esta página requiere un código',
    headingTerminal: 'No puede abrir esta página aquí',
    noReason: 'Las normas de esta red desaconsejan esta página.',
    next: 'Continúe solo si conoce este sitio y lo necesita. Su decisión queda registrada.',
    nextFor: (time) =>
      html`Continúe solo si conoce este sitio y lo necesita. Su decisión queda registrada y vale durante ${time}.`,
    proceed: 'Continuar de todos modos',
    terminal: (operator) => html`¿Necesita esta página? Solicítela a ${operator} e indique los detalles de abajo.`,
  },
  aup: {
    title: 'Normas de uso',
    heading: 'Lea esto antes de continuar',
    noReason: 'En esta red, primero debe aceptar las normas de uso.',
    policyHeading: 'Normas de uso',
    accept: 'Aceptar y continuar',
    byContinuing: 'Al continuar, acepta estas normas. Su aceptación queda registrada.',
    byUnlocking: 'Al desbloquear la página, acepta estas normas. Su aceptación queda registrada.',
    toCode: 'Introducir el código',
    terminal: (operator) =>
      html`Aquí no puede aceptar estas normas. ¿Necesita esta página? Solicítela a ${operator} e indique los detalles de abajo.`,
    policy: {
      introduction:
        'Esta red se ofrece para el trabajo, el estudio y otros fines autorizados. Al usarla, usted acepta las normas siguientes.',
      rules: [
        'Respete la ley. No abra, comparta ni guarde nada ilegal.',
        'Respete a los demás: nada de acoso, amenazas ni contenidos degradantes.',
        'Proteja las cuentas y los dispositivos. No revele sus contraseñas ni eluda los filtros o los ajustes de seguridad.',
        'Trate datos confidenciales y personales solo si está autorizado para ello.',
        'Comparta la red con los demás, para que funcione bien para todos.',
        'El acceso a la web se filtra, y las solicitudes pueden registrarse para proteger la red e investigar abusos.',
      ],
      conclusion:
        'Si incumple estas normas, puede perder el acceso. Si algo no está claro, pregunte antes de continuar.',
    },
  },
  opensAgain: (day, time) =>
    `Esta página volverá a estar disponible ${day} a ${isOneOClock(time) ? 'la' : 'las'} ${time}.`,
  goBack: 'Volver',
  nothingToGoBackTo: 'Si no ocurre nada, puede cerrar esta página.',
  report: 'Informar de un error',
  askForAccess: 'Solicitar acceso',
  acknowledge: {
    destination: (host) => html`Irá a ${host}.`,
    session: (time) => html`No se le volverá a preguntar durante ${time}.`,
  },
  clickTooSoon: 'El clic llegó demasiado pronto. Haga clic de nuevo.',
  override: {
    pin: 'Código PIN',
    passphrase: 'Frase de contraseña',
    explanation: {
      pin: 'Introduzca el código. El cursor avanza solo.',
      passphrase: 'Introduzca el código para abrir esta página.',
    },
    digit: (place, length) => `Dígito ${place} de ${length}`,
    show: 'Mostrar',
    hide: 'Ocultar',
    unlock: 'Desbloquear',
    needsScript: 'Para introducir el código se necesita JavaScript. Actívelo y vuelva a cargar esta página.',
    checking: 'Comprobando…',
    incomplete: 'Introduzca el código completo.',
    wrong: 'El código es incorrecto.',
    attemptsLeft: { one: 'Queda {n} intento.', other: 'Quedan {n} intentos.' },
    lockOver: 'Ya puede volver a intentarlo.',
    trouble: 'La pasarela no ha respondido. El código puede ser correcto: inténtelo de nuevo.',
    unlocked: 'Página desbloqueada. Abriendo…',
    unlockedShortened: 'Página desbloqueada.',
    continueToPage: 'Continuar a la página',
  },
  outcome: {
    reopen: 'Volver a abrir la página',
    contact: (operator) => html`Si el problema continúa, avise a ${operator}.`,
    tell: (operator) => html`Avise a ${operator}.`,
    notFound: {
      title: 'Página no encontrada',
      text: 'No hay nada en esta dirección.',
      advice: 'Abra el sitio que buscaba. Si está bloqueado, verá el motivo.',
    },
    methodNotAllowed: {
      title: 'Solicitud no admitida',
      text: 'Esta dirección no admite el envío de datos.',
      advice: 'Vuelva a abrir el sitio.',
    },
    tooLong: {
      title: 'Dirección demasiado larga',
      text: 'La dirección de esta página supera la longitud que admite la pasarela.',
      advice: 'Vuelva a abrir el sitio.',
    },
    malformed: {
      title: 'Dirección incompleta',
      text: 'La dirección de esta página está incompleta o ha sido modificada.',
      advice: 'Abra el sitio directamente, sin usar un enlace copiado o guardado.',
    },
    wrongVersion: {
      title: 'La pasarela y este portal no son compatibles',
      text: 'La pasarela y este portal usan versiones distintas.',
    },
    invalid: {
      title: 'Este enlace no es válido',
      text: 'Este enlace no procede de la pasarela o fue modificado en el camino.',
      advice: 'Abra el sitio directamente, sin usar un enlace copiado o guardado.',
    },
    expired: {
      title: 'Este enlace ha caducado',
      text: 'Los enlaces de la pasarela solo valen unos minutos.',
      advice: 'Vuelva a abrir el sitio para obtener un enlace nuevo.',
    },
    contentBlocked: {
      title: 'Contenido bloqueado',
      text: (operator) => html`Este contenido está bloqueado en esta red. Si tiene preguntas, diríjase a ${operator}.`,
    },
    acknowledgementOff: {
      title: 'No se puede continuar desde aquí',
      text: 'Este portal no está configurado para transmitir su decisión.',
    },
    crossSite: {
      title: 'Continúe desde la página de la pasarela',
      text: 'Solo se puede continuar desde la página de la propia pasarela.',
      advice: 'Vuelva a abrir el sitio y use el botón de la página que aparece.',
    },
    acknowledgementPrefetch: {
      title: 'Hay que pulsar el botón',
      text: 'El navegador intentó cargar este paso por adelantado. Solo funciona si usted pulsa el botón.',
      advice: 'Vuelva a abrir el sitio y use el botón de la página que aparece.',
    },
    acknowledgementExpired: {
      title: 'Esta página ha caducado',
      text: 'La pasarela ya no acepta su decisión desde esta página.',
      advice: 'Vuelva a abrir el sitio para obtener una página nueva.',
    },
    acknowledgementRefused: {
      title: 'No se aceptó su decisión',
      text: 'Es posible que la página ya no sea válida.',
      advice: 'Vuelva a abrir el sitio para obtener una página nueva.',
    },
    codeMalformed: {
      title: 'No se pudo usar el código',
      text: 'El código falta, no era necesario o no se pudo leer.',
      advice: 'Vuelva a abrir el sitio e introduzca el código en la página que lo pide.',
    },
    codeRejected: {
      title: 'El código es incorrecto',
      text: 'La pasarela no aceptó el código.',
      advice: 'Vuelva a abrir el sitio e introduzca el código otra vez.',
    },
    lockedOut: {
      title: 'Demasiados intentos',
      text: 'Se introdujeron demasiados códigos incorrectos.',
      advice: (time) => `Inténtelo de nuevo dentro de ${time}.`,
      at: (time) => `Podrá intentarlo de nuevo a esta hora: ${time}.`,
    },
    engineUnreachable: {
      title: 'La pasarela no responde correctamente',
      text: 'No se pudo transmitir su decisión. No ha hecho nada mal.',
      advice: 'Inténtelo de nuevo en un momento.',
    },
    engineTooSlow: {
      title: 'La pasarela tardó demasiado',
      text: 'Su decisión se envió, pero la respuesta no llegó a tiempo.',
      advice: 'Inténtelo de nuevo en un momento.',
    },
    recordUnavailable: {
      title: 'No se pudo registrar su aceptación',
      text: 'Solo podrá continuar cuando su aceptación quede registrada, por lo que no se ha enviado nada a la pasarela.',
      advice: 'Inténtelo de nuevo en un momento.',
    },
    overloaded: {
      title: 'Demasiadas solicitudes en este momento',
      text: 'El portal recibe más solicitudes de las que puede atender.',
      advice: 'Inténtelo de nuevo en unos segundos.',
    },
    superseded: {
      title: 'Ha continuado más de una vez',
      text: 'Solo se transmite a la pasarela su último clic. Otro posterior, quizá en otra ventana, ha sustituido a este.',
      advice: 'Si la página no se ha abierto allí, inténtelo de nuevo.',
    },
    internal: {
      title: 'Algo salió mal',
      text: 'El problema es del portal, no suyo.',
      advice: 'Inténtelo de nuevo en un momento.',
    },
  },
  certificate: {
    title: 'Instalar el certificado',
    heading: 'Instalar el certificado de esta red',
    why: 'Esta red examina las conexiones cifradas con su propio certificado. Mientras el dispositivo no confíe en él, el navegador no puede distinguir la pasarela de un atacante y muestra una advertencia. En cualquier otra red, tómese en serio una advertencia así.',
    care: 'Instálelo solo en los dispositivos que use en esta red. Permite a la pasarela leer lo que envían y reciben por conexiones cifradas.',
    signInSheet:
      'En esta ventana (de inicio de sesión o de una aplicación) no se pueden instalar certificados. Copie esta dirección y ábrala en el navegador (en Safari en el iPhone y el iPad).',
    plainHttp:
      'Esta página ha llegado sin cifrar, por lo que alguien ha podido manipularla. Antes de instalar nada, compare la huella SHA-256 con la que le dieron en papel o por teléfono.',
    toFingerprints: 'Ver las huellas',
    expiring: (date, days) =>
      `Este certificado caduca el ${date} (tiempo restante: ${days}). Después habrá que instalar uno nuevo.`,
    copy: 'Copiar',
    copied: 'Copiado',
    trust: {
      heading: 'Comprobar que ha funcionado',
      headingTrusted: '¿Ya está instalado?',
      testing: 'Comprobando…',
      trusted:
        'De confianza. Este navegador acepta el certificado: no hay que hacer nada más, salvo que alguna vez haya ignorado una advertencia sobre este portal.',
      untrusted:
        'Aún no es de confianza. Siga los pasos de arriba, reinicie el navegador si es necesario y vuelva a comprobarlo.',
      overHttps:
        'Si esta página se ha abierto sin advertencias, el certificado es de confianza. Para asegurarse, abra esta dirección:',
      otherAddress: 'La comprobación no funciona en esta dirección. Abra esta otra:',
      noAnswer: 'No se pudo comprobar: el portal no respondió a tiempo. Inténtelo de nuevo en un momento.',
      test: 'Volver a comprobar',
    },
    install: {
      heading: 'Instalación',
      thisDevice: 'este dispositivo',
      download: 'Descargar el certificado',
      downloadBlocked: 'Si el navegador bloquea la descarga, elija “Conservar” o “Descargar archivo no seguro”.',
      checked: (month) => `Pasos revisados en ${month}.`,
      ios: [
        'En Safari, descargue el archivo y toque “Permitir”.',
        'En un plazo de 8 minutos, abra Ajustes (o Configuración) › Perfil descargado, o bien General › VPN y gestión de dispositivos.',
        'Toque “Instalar”, introduzca el código y toque otra vez “Instalar”.',
        (name) =>
          html`No olvide este paso: abra Ajustes (o Configuración) › General › Información › Configuración de confianza de certificados, active ${name} y toque “Continuar”.`,
      ],
      android: [
        'Descargue el archivo sin abrirlo: lo elegirá en los ajustes.',
        'Busque “certificado de CA” en los ajustes. Si no aparece nada: Seguridad y privacidad › Más ajustes de seguridad y privacidad › Cifrado y credenciales › Instalar un certificado (en Samsung: Seguridad y privacidad › Más ajustes de seguridad › Instalar desde almacenamiento). Elija “Certificado de CA”, no el de VPN o wifi.',
        'Toque “Instalar de todas formas”, desbloquee la pantalla y elija el archivo. Si el dispositivo no tiene bloqueo de pantalla, le pedirá que cree uno.',
      ],
      androidNote:
        'Desde Android 15, después de cada reinicio aparece un aviso de que la red puede estar supervisada. Es normal. Los navegadores aceptan el certificado; casi todas las demás aplicaciones lo ignoran.',
      macos: [
        'Descargue el archivo y ábralo. En Acceso a Llaveros, añádalo al llavero “Sistema”.',
        (name) =>
          html`Haga doble clic en ${name}, abra “Confiar” y, en “Al utilizar este certificado”, elija “Confiar siempre”.`,
        'Cierre la ventana e introduzca su contraseña.',
      ],
      macosCommand: 'O bien en Terminal (pide la contraseña de un administrador):',
      windows: [
        'Descargue el archivo, ábralo y elija “Instalar certificado”.',
        'Elija “Equipo local” o, sin permisos de administrador, “Usuario actual”.',
        'Elija “Colocar todos los certificados en el siguiente almacén” › Examinar › Entidades de certificación raíz de confianza. La opción automática lo pone en el lugar equivocado.',
        'Elija “Siguiente” y “Finalizar”, y confirme.',
      ],
      windowsCommand: 'O bien en PowerShell, ejecutado como administrador:',
      linux: ['Descargue el archivo.', 'Abra un terminal en la carpeta del archivo y ejecute:'],
      firefoxElsewhere: 'Firefox 120 y versiones posteriores lo usan tras reiniciarse.',
      firefoxDebian: 'En Debian y Ubuntu, Firefox tiene su propio almacén de certificados:',
      firefoxFedora:
        'El Firefox de los paquetes de Fedora o RHEL lo usa tras reiniciarse. El de Flathub o Mozilla tiene su propio almacén de certificados:',
      firefoxImport:
        'Ajustes › Privacidad y seguridad › Certificados › Administrar certificados › Autoridades › Importar. Elija el archivo y marque “Confiar en esta CA para identificar sitios web”.',
      chrome:
        'Chrome en Linux también: Configuración › Privacidad y seguridad › Seguridad › Gestionar certificados › Certificados locales › Personalizado › Instalados por ti › Importar. O abra directamente:',
    },
    proxy: {
      heading: 'Configurar el proxy',
      text: 'En esta red, los dispositivos también necesitan un proxy. Si el sistema ofrece una configuración automática, introduzca su dirección; si no, el servidor y el puerto.',
      server: 'Servidor',
      port: 'Puerto',
      automatic: 'Automático (PAC)',
      where: {
        ios: 'Ajustes (o Configuración) › Wi-Fi › ⓘ junto a esta red › Configurar proxy › Automático',
        android:
          'Ajustes › Red e Internet › Internet › la rueda dentada junto a esta red › el lápiz › Opciones avanzadas › Proxy › Configuración automática de proxy',
        windows: 'Configuración › Red e Internet › Proxy › Usar script de configuración › Configurar',
        macos: 'Ajustes del Sistema › Wi-Fi › Detalles junto a esta red › Proxies › Configuración automática de proxy',
        debian: 'Configuración › Red › Proxy de la red › Automático (GNOME)',
        rhel: 'Configuración › Red › Proxy de la red › Automático (GNOME)',
      },
      sheet: 'Una hoja para imprimir y repartir',
    },
    sheet: {
      heading: 'Configurar su dispositivo',
      introduction: 'Para los dispositivos de esta red: tres pasos, una vez por dispositivo.',
      introductionOf: (operator) =>
        html`Para los dispositivos de esta red (${operator}): tres pasos, una vez por dispositivo.`,
      open: 'Conéctese a la red. Escanee este código con la cámara o escriba la dirección en el navegador.',
      install: 'Descargue el certificado e instálelo como indica la página. Debe tener este nombre y esta huella.',
      setProxy: 'Configure el proxy como indica la página.',
    },
    details: {
      heading: 'El certificado',
      name: 'Nombre',
      subject: 'Titular',
      fingerprint: (algorithm) => `Huella ${algorithm}`,
      validFrom: 'Válido desde',
      validUntil: 'Válido hasta',
      daysLeft: 'Días restantes',
    },
    next: {
      heading: 'Instale también este',
      from: (date) =>
        `A partir del ${date}, la pasarela usará este certificado en lugar del otro. Si lo instala ahora, no notará el cambio.`,
      since: (date) => `Desde el ${date}, la pasarela usa este certificado. Instálelo también.`,
      sameSteps: 'Los pasos son los mismos. En los comandos, ponga el nombre de este archivo.',
    },
    elsewhere: {
      heading: 'Configurar otro dispositivo',
      scan: 'Escanee este código con su cámara o escriba la dirección:',
    },
  },
  privacy: {
    title: 'Aviso de privacidad',
    introduction:
      'Este aviso se refiere a las páginas que la pasarela muestra cuando bloquea una solicitud, le advierte o le pide su conformidad. Explica qué datos tratan y qué se conserva.',
    purpose: {
      heading: '1. Para qué sirven estas páginas',
      text: 'Una pasarela comprueba las solicitudes web según unas reglas. Cuando se aplica una regla, el navegador se dirige a este portal, que explica la decisión y, si la regla lo permite, transmite su decisión a la pasarela.',
    },
    processed: {
      heading: '2. Qué datos se tratan para mostrar una página',
      text: 'La dirección que usted solicitó, la regla, su categoría y un número de referencia llegan cifrados a este portal, dentro de la dirección de la página. Se le muestran a usted; el apartado 3 explica qué se conserva. El idioma de la página depende de los ajustes de su navegador. Cuando continúa, la dirección IP de su dispositivo y el código que haya introducido se transmiten a la pasarela; este portal nunca guarda el código.',
    },
    recorded: {
      heading: '3. Qué se conserva',
      log: 'De cada solicitud, este portal registra la hora, el tipo de página, la regla, el resultado y el número de referencia, pero no su nombre, su dirección IP ni el código.',
      logWithDestination:
        'De cada solicitud, este portal registra la hora, el tipo de página, la regla, el resultado y el número de referencia y, si se trata de una decisión de la pasarela, la dirección que usted solicitó, pero no su nombre, su dirección IP ni el código.',
      acceptance:
        'Cuando acepta unas normas, se guarda lo siguiente: el número de referencia, la regla, la versión, el texto y el idioma de las normas, si su navegador las mostró, la hora, el número y el resultado de las solicitudes a la pasarela y la versión de este portal.',
      withoutAddress: 'La dirección IP de su dispositivo no se guarda con estos datos.',
      withAddress: 'La dirección IP de su dispositivo se guarda con estos datos.',
      gateway: {
        unknown:
          'La pasarela lleva su propio registro. Tanto de las solicitudes que detiene como de las que permite, puede contener: la hora, la dirección IP de su dispositivo, su nombre de usuario, el sitio, la regla y el número de referencia.',
        stopped:
          'De cada solicitud que detiene, y cuando usted continúa, la pasarela registra la hora, la dirección IP de su dispositivo, su nombre de usuario si lo conoce, la regla y el número de referencia, pero no el sitio.',
        stoppedWithSite:
          'De cada solicitud que detiene, la pasarela registra la hora, la dirección IP de su dispositivo, su nombre de usuario si lo conoce, el sitio, la regla y el número de referencia; cuando usted continúa, lo mismo sin el sitio.',
        every:
          'De cada solicitud, aunque la permita, y cuando usted continúa, la pasarela registra la hora, la dirección IP de su dispositivo, su nombre de usuario si lo conoce, la regla y el número de referencia, pero no el sitio.',
        everyWithSite:
          'De cada solicitud, aunque la permita, la pasarela registra la hora, la dirección IP de su dispositivo, su nombre de usuario si lo conoce, el sitio, la regla y el número de referencia; cuando usted continúa, lo mismo sin el sitio.',
      },
      journal: {
        withSite: (days: string) =>
          `La pasarela guarda además un historial durante ${days}. De cada solicitud que detiene, y cuando usted continúa o introduce un código, contiene la hora, la dirección IP de su dispositivo, su nombre de usuario y su grupo si los conoce, el sitio, la regla, su categoría, su lista y el número de referencia.`,
        withoutSite: (days: string) =>
          `La pasarela guarda además un historial durante ${days}. De cada solicitud que detiene, y cuando usted continúa o introduce un código, contiene la hora, la dirección IP de su dispositivo, su nombre de usuario y su grupo si los conoce, la regla, su categoría, su lista y el número de referencia, pero no el sitio.`,
        named: (days: string) =>
          `Su dirección IP y su nombre de usuario figuran en él durante ${days}; después los sustituyen unos seudónimos.`,
        pseudonyms: 'En lugar de su dirección IP y su nombre de usuario contiene seudónimos.',
        unknown: 'La pasarela también puede guardar los mismos datos en un historial durante algún tiempo.',
      },
      memory:
        'Hasta que se reinicia, la pasarela tiene en memoria las direcciones web completas de las últimas solicitudes que ha detenido.',
      session:
        'Mientras usted puede continuar, o mientras un sitio está abierto para usted, la pasarela lo recuerda con su dirección IP y su nombre de usuario; también cuenta los códigos erróneos.',
      elsewhere: {
        unknown: 'Otras partes de esta red, como su proxy, pueden llevar sus propios registros.',
        on: 'El proxy de esta red registra cada solicitud: la hora, la dirección IP de su dispositivo, su nombre de usuario si lo conoce, el sitio y el resultado, pero no el resto de la dirección. Otras partes de esta red pueden llevar sus propios registros.',
        off: 'El proxy de esta red no registra lo que usted visita. Otras partes de esta red pueden llevar sus propios registros.',
      },
    },
    device: {
      heading: '4. Qué se conserva en su dispositivo',
      text: 'Si elige un idioma o se le muestran unas normas, una cookie firmada recuerda el idioma y qué normas se mostraron con qué número de referencia. La cookie se borra al cerrar el navegador. Si elige el modo claro u oscuro, el navegador guarda esa elección en su propio almacenamiento, sin enviarla a ningún sitio. No hay seguimiento ni contenido de terceros.',
    },
    contact: {
      heading: '5. Sus derechos y contacto',
      text: (operator) =>
        html`Puede preguntar qué datos suyos se guardan, pedir que se rectifiquen y ejercer sus demás derechos legales dirigiéndose a ${operator}, responsable de esta pasarela. El responsable decide también cuánto tiempo se conservan los datos.`,
    },
  },
}
