// The Portuguese catalogue, in the Brazilian standard, which browsers and CLDR understand by `pt`, and without “você”, so that
// it also reads well in Portugal. The operator follows “com” or a verb, which merge with no article of the fallback.
import { html } from '../../../html/html.ts'
import type { Messages } from './en.ts'
import { isOneOClock } from './format.ts'

export const pt: Messages = {
  topbar: {
    language: 'Idioma',
    dark: 'Modo escuro',
    skip: 'Ir para o conteúdo',
    preview: 'Pré-visualização com dados de exemplo: nada aqui é real.',
  },
  footer: {
    privacy: 'Aviso de privacidade',
    certificate: 'Certificado',
    certificateError: 'Por que apareceu um erro de certificado?',
    support: 'Falar com o suporte',
  },
  operator: {
    fallback: 'o administrador da rede',
  },
  details: {
    heading: 'Detalhes',
    requestedAddress: 'Endereço solicitado',
    rule: 'Regra',
    category: 'Categoria',
    reference: 'Referência',
    time: 'Data e hora',
    support: 'Ajuda',
    version: 'Versão do portal',
    labelled: (label: string, value: string) => `${label}: ${value}`,
    copy: 'Copiar detalhes',
    copied: 'Copiado',
    selected: 'Texto selecionado. Copie-o com o teclado ou o menu.',
    shortened: 'O endereço foi encurtado.',
  },
  block: {
    title: 'Página bloqueada',
    heading: 'Esta página está bloqueada',
    noReason: 'As regras desta rede não permitem esta página.',
    next: (operator) => html`É um engano? Fale com ${operator} e informe os detalhes abaixo.`,
  },
  warn: {
    title: 'Aviso',
    heading: 'Cuidado com este site',
    headingCode: 'Esta página exige um código',
    headingTerminal: 'Não é possível abrir esta página aqui',
    noReason: 'As regras desta rede desaconselham esta página.',
    next: 'Continue só se conhecer este site e precisar dele. A sua escolha fica registrada.',
    nextFor: (time) =>
      html`Continue só se conhecer este site e precisar dele. A sua escolha fica registrada e vale por ${time}.`,
    proceed: 'Continuar mesmo assim',
    terminal: (operator) => html`Precisa desta página? Fale com ${operator} e informe os detalhes abaixo.`,
  },
  aup: {
    title: 'Política de uso',
    heading: 'Leia antes de continuar',
    noReason: 'Nesta rede, é preciso aceitar primeiro a política de uso.',
    policyHeading: 'Política de uso',
    accept: 'Aceitar e continuar',
    byContinuing: 'Continuar significa aceitar esta política. A aceitação fica registrada.',
    byUnlocking: 'Desbloquear a página significa aceitar esta política. A aceitação fica registrada.',
    toCode: 'Digitar o código',
    terminal: (operator) =>
      html`Não é possível aceitar esta política aqui. Precisa desta página? Fale com ${operator} e informe os detalhes abaixo.`,
    policy: {
      introduction:
        'Esta rede destina-se ao trabalho, ao estudo e a outros fins autorizados. Quem a utiliza aceita as regras a seguir.',
      rules: [
        'Respeite a lei. Não acesse, compartilhe nem guarde nada ilegal.',
        'Respeite as outras pessoas: nada de assédio, ameaças ou conteúdo degradante.',
        'Proteja as contas e os dispositivos. Não revele as suas senhas nem contorne filtros ou configurações de segurança.',
        'Trate dados confidenciais e pessoais somente se tiver autorização.',
        'Use a rede com consideração, para que funcione bem para todos.',
        'O acesso à web é filtrado, e as solicitações podem ser registradas para proteger a rede e investigar abusos.',
      ],
      conclusion:
        'O descumprimento destas regras pode levar à perda do acesso. Em caso de dúvida, pergunte antes de continuar.',
    },
  },
  opensAgain: (day, time) => `Esta página volta a estar disponível ${day} ${isOneOClock(time) ? 'à' : 'às'} ${time}.`,
  goBack: 'Voltar',
  nothingToGoBackTo: 'Se nada acontecer, feche esta página.',
  report: 'Comunicar um engano',
  askForAccess: 'Pedir acesso',
  acknowledge: {
    destination: (host) => html`O destino é ${host}.`,
    session: (time) => html`A pergunta não se repetirá durante ${time}.`,
  },
  clickTooSoon: 'O clique veio cedo demais. Clique novamente.',
  override: {
    pin: 'Código PIN',
    passphrase: 'Frase secreta',
    explanation: {
      pin: 'Digite o código. O cursor avança sozinho.',
      passphrase: 'Digite o código para abrir esta página.',
    },
    digit: (place, length) => `Dígito ${place} de ${length}`,
    show: 'Mostrar',
    hide: 'Ocultar',
    unlock: 'Desbloquear',
    needsScript: 'Para digitar o código, é preciso ter o JavaScript ativado. Ative-o e recarregue esta página.',
    checking: 'Verificando…',
    incomplete: 'Digite o código completo.',
    wrong: 'O código está incorreto.',
    attemptsLeft: { one: 'Resta {n} tentativa.', other: 'Restam {n} tentativas.' },
    lockOver: 'Agora é possível tentar novamente.',
    trouble: 'O gateway não respondeu. O código pode estar certo: tente novamente.',
    unlocked: 'Página desbloqueada. Abrindo…',
    unlockedShortened: 'Página desbloqueada.',
    continueToPage: 'Continuar para a página',
  },
  outcome: {
    reopen: 'Abrir a página novamente',
    contact: (operator) => html`Se o problema continuar, fale com ${operator}.`,
    tell: (operator) => html`Fale com ${operator}.`,
    notFound: {
      title: 'Página não encontrada',
      text: 'Não há nada neste endereço.',
      advice: 'Abra o site desejado. Se estiver bloqueado, o motivo será mostrado.',
    },
    methodNotAllowed: {
      title: 'Solicitação não aceita',
      text: 'Não é possível enviar dados a este endereço.',
      advice: 'Abra o site novamente.',
    },
    tooLong: {
      title: 'Endereço longo demais',
      text: 'O endereço desta página é mais longo do que o gateway permite.',
      advice: 'Abra o site novamente.',
    },
    malformed: {
      title: 'Endereço incompleto',
      text: 'O endereço desta página está incompleto ou foi alterado.',
      advice: 'Abra o site diretamente, sem usar um link copiado ou salvo.',
    },
    wrongVersion: {
      title: 'O gateway e este portal não são compatíveis',
      text: 'O gateway e este portal usam versões diferentes.',
    },
    invalid: {
      title: 'Este link não é válido',
      text: 'Este link não veio do gateway ou foi alterado pelo caminho.',
      advice: 'Abra o site diretamente, sem usar um link copiado ou salvo.',
    },
    expired: {
      title: 'Este link expirou',
      text: 'Os links do gateway valem apenas alguns minutos.',
      advice: 'Abra o site novamente para obter um novo link.',
    },
    contentBlocked: {
      title: 'Conteúdo bloqueado',
      text: (operator) => html`Este conteúdo está bloqueado nesta rede. Em caso de dúvida, fale com ${operator}.`,
    },
    acknowledgementOff: {
      title: 'Não é possível continuar daqui',
      text: 'Este portal não está configurado para transmitir a sua escolha.',
    },
    crossSite: {
      title: 'Continue na página do gateway',
      text: 'Só é possível continuar na página do próprio gateway.',
      advice: 'Abra o site novamente e use o botão da página que aparece.',
    },
    acknowledgementPrefetch: {
      title: 'É preciso clicar no botão',
      text: 'O navegador tentou carregar esta etapa com antecedência. Ela só funciona quando alguém clica no botão.',
      advice: 'Abra o site novamente e use o botão da página que aparece.',
    },
    acknowledgementExpired: {
      title: 'Esta página expirou',
      text: 'O gateway já não aceita a sua escolha a partir desta página.',
      advice: 'Abra o site novamente para obter uma nova página.',
    },
    acknowledgementRefused: {
      title: 'A sua escolha não foi aceita',
      text: 'É possível que a página já não seja válida.',
      advice: 'Abra o site novamente para obter uma nova página.',
    },
    codeMalformed: {
      title: 'Não foi possível usar o código',
      text: 'Falta o código, ele não era necessário ou não pôde ser lido.',
      advice: 'Abra o site novamente e digite o código na página que o pede.',
    },
    codeRejected: {
      title: 'O código está incorreto',
      text: 'O gateway não aceitou o código.',
      advice: 'Abra o site novamente e digite o código outra vez.',
    },
    lockedOut: {
      title: 'Tentativas demais',
      text: 'Um código incorreto foi digitado vezes demais.',
      advice: (time) => `Tente novamente daqui a ${time}.`,
      at: (time) => `Será possível tentar novamente neste horário: ${time}.`,
    },
    engineUnreachable: {
      title: 'O gateway não está respondendo corretamente',
      text: 'Não foi possível transmitir a sua escolha. O problema não está do seu lado.',
      advice: 'Tente novamente daqui a pouco.',
    },
    engineTooSlow: {
      title: 'O gateway demorou demais',
      text: 'A sua escolha foi enviada, mas a resposta não chegou a tempo.',
      advice: 'Tente novamente daqui a pouco.',
    },
    recordUnavailable: {
      title: 'Não foi possível registrar a sua aceitação',
      text: 'Só é possível continuar depois de registrada a aceitação. Por isso, nada foi enviado ao gateway.',
      advice: 'Tente novamente daqui a pouco.',
    },
    overloaded: {
      title: 'Solicitações demais neste momento',
      text: 'O portal está recebendo mais solicitações do que consegue atender.',
      advice: 'Tente novamente em alguns segundos.',
    },
    superseded: {
      title: 'A escolha foi enviada mais de uma vez',
      text: 'Só o último clique é transmitido ao gateway. Outro mais recente, talvez em outra janela, substituiu este.',
      advice: 'Se a página não se abriu lá, tente novamente.',
    },
    internal: {
      title: 'Algo deu errado',
      text: 'O problema está no portal, não do seu lado.',
      advice: 'Tente novamente daqui a pouco.',
    },
  },
  certificate: {
    title: 'Instalar o certificado',
    heading: 'Instalar o certificado desta rede',
    why: 'Esta rede verifica as conexões criptografadas com um certificado próprio. Enquanto o dispositivo não confiar nele, o navegador não consegue distinguir o gateway de um invasor e mostra um aviso. Em qualquer outra rede, leve a sério um aviso assim.',
    care: 'Instale-o apenas nos dispositivos usados nesta rede. Ele permite ao gateway ler o que eles enviam e recebem por conexões criptografadas.',
    signInSheet:
      'Esta janela (de acesso à rede ou de um aplicativo) não permite instalar certificados. Copie este endereço e abra-o no navegador (no iPhone e no iPad, no Safari).',
    plainHttp:
      'Esta página chegou sem criptografia e pode ter sido adulterada. Antes de instalar, compare a impressão digital SHA-256 com a que foi fornecida em papel ou por telefone.',
    toFingerprints: 'Ver as impressões digitais',
    expiring: (date, days) =>
      `Este certificado expira em ${date} (tempo restante: ${days}). Depois, será preciso instalar um novo.`,
    copy: 'Copiar',
    copied: 'Copiado',
    trust: {
      heading: 'Verificar se funcionou',
      headingTrusted: 'Já está instalado?',
      testing: 'Testando…',
      trusted:
        'Confiável. Este navegador aceita o certificado: não falta mais nada, a não ser que um aviso sobre este portal já tenha sido ignorado alguma vez.',
      untrusted: 'Ainda não é confiável. Siga os passos acima, reinicie o navegador se necessário e teste novamente.',
      overHttps: 'Se esta página abriu sem aviso, o certificado é confiável. Para ter certeza, abra este endereço:',
      otherAddress: 'O teste não funciona neste endereço. Abra este:',
      noAnswer: 'Não foi possível testar: o portal não respondeu a tempo. Tente novamente daqui a pouco.',
      test: 'Testar novamente',
    },
    install: {
      heading: 'Instalação',
      thisDevice: 'este dispositivo',
      download: 'Baixar o certificado',
      downloadBlocked:
        'Se o navegador bloquear o download, escolha “Manter” ou “Fazer o download de arquivo não seguro”.',
      checked: (month) => `Passos verificados em ${month}.`,
      ios: [
        'No Safari, baixe o arquivo e toque em “Permitir”.',
        'Dentro de 8 minutos, abra Ajustes › Perfil Baixado (ou Geral › VPN e Gerenciamento de Dispositivo).',
        'Toque em “Instalar”, digite o código e toque novamente em “Instalar”.',
        (name) =>
          html`Não pule este passo: abra Ajustes › Geral › Sobre › Ajustes de Confiança de Certificado, ative ${name} e toque em “Continuar”.`,
      ],
      android: [
        'Baixe o arquivo sem abri-lo: ele será escolhido nas configurações.',
        'Procure “certificado de CA” nas configurações. Se nada aparecer: Segurança e privacidade › Mais segurança e privacidade › Criptografia e credenciais › Instalar um certificado (na Samsung: Segurança e privacidade › Mais configurações de segurança › Instalar do armazenamento do telefone). Escolha “Certificado de CA”, não o de VPN nem o de Wi-Fi.',
        'Toque em “Instalar mesmo assim”, desbloqueie a tela e escolha o arquivo. Se não houver bloqueio de tela, o dispositivo pede primeiro que se crie um.',
      ],
      androidNote:
        'A partir do Android 15, um aviso informa após cada reinicialização que a rede pode estar sendo monitorada. Isso é normal. Os navegadores aceitam o certificado; quase todos os outros aplicativos o ignoram.',
      macos: [
        'Baixe o arquivo e abra-o. No Acesso às Chaves, adicione-o às chaves “Sistema”.',
        (name) =>
          html`Clique duas vezes em ${name}, abra “Confiar” e, em “Ao usar este certificado”, escolha “Confiar Sempre”.`,
        'Feche a janela e digite a sua senha.',
      ],
      macosCommand: 'Ou no Terminal (pede a senha de um administrador):',
      windows: [
        'Baixe o arquivo, abra-o e escolha “Instalar Certificado”.',
        'Escolha “Máquina Local” ou, sem direitos de administrador, “Usuário Atual”.',
        'Escolha “Colocar todos os certificados no repositório a seguir” › Procurar › Autoridades de Certificação Raiz Confiáveis. A opção automática o coloca no lugar errado.',
        'Escolha “Avançar” e “Concluir”, e confirme.',
      ],
      windowsCommand: 'Ou no PowerShell, executado como administrador:',
      linux: ['Baixe o arquivo.', 'Abra um terminal na pasta do arquivo e execute:'],
      firefoxElsewhere: 'O Firefox 120 e versões posteriores o usam depois de reiniciados.',
      firefoxDebian: 'No Debian e no Ubuntu, o Firefox tem um repositório de certificados próprio:',
      firefoxFedora:
        'O Firefox dos pacotes do Fedora ou do RHEL o usa depois de reiniciado. O do Flathub ou da Mozilla tem um repositório de certificados próprio:',
      firefoxImport:
        'Configurações › Privacidade e segurança › Certificados › Gerenciar certificados › Autoridades › Importar. Escolha o arquivo e marque “Confiar nesta CA para identificar sites”.',
      chrome:
        'O Chrome no Linux também: Configurações › Privacidade e segurança › Segurança › Gerenciar certificados › Certificados locais › Personalizados › Instalados por você › Importar. Ou abra diretamente:',
    },
    proxy: {
      heading: 'Configurar o proxy',
      text: 'Nesta rede, os dispositivos também precisam de um proxy. Se o sistema oferecer uma configuração automática, digite o endereço dela; caso contrário, o servidor e a porta.',
      server: 'Servidor',
      port: 'Porta',
      automatic: 'Automático (PAC)',
      where: {
        ios: 'Ajustes › Wi-Fi › ⓘ ao lado desta rede › Configurar Proxy › Automático',
        android:
          'Configurações › Rede e Internet › Internet › a engrenagem ao lado desta rede › o lápis › Opções avançadas › Proxy › Configuração automática de proxy',
        windows: 'Configurações › Rede e Internet › Proxy › Usar script de configuração › Configurar',
        macos: 'Ajustes do Sistema › Wi-Fi › Detalhes ao lado desta rede › Proxies › Configuração automática de proxy',
        debian: 'Configurações › Rede › Proxy da rede › Automático (GNOME)',
        rhel: 'Configurações › Rede › Proxy da rede › Automático (GNOME)',
      },
      sheet: 'Uma folha para imprimir e distribuir',
    },
    sheet: {
      heading: 'Configurar o seu dispositivo',
      introduction: 'Para os dispositivos desta rede: três passos, uma vez por dispositivo.',
      introductionOf: (operator) =>
        html`Para os dispositivos desta rede (${operator}): três passos, uma vez por dispositivo.`,
      open: 'Conecte-se à rede. Escaneie este código com a câmera ou digite o endereço no navegador.',
      install:
        'Baixe o certificado e instale-o como indicado na página. Ele deve ter este nome e esta impressão digital.',
      setProxy: 'Configure o proxy como indicado na página.',
    },
    details: {
      heading: 'O certificado',
      name: 'Nome',
      subject: 'Titular',
      fingerprint: (algorithm) => `Impressão digital ${algorithm}`,
      validFrom: 'Válido a partir de',
      validUntil: 'Válido até',
      daysLeft: 'Dias restantes',
    },
    next: {
      heading: 'Instale também este',
      from: (date) =>
        `A partir de ${date}, o gateway usará este certificado em vez do outro. Instale-o agora e a mudança passará despercebida.`,
      since: (date) => `Desde ${date}, o gateway usa este certificado. Instale-o também.`,
      sameSteps: 'Os passos são os mesmos. Nos comandos, use o nome deste arquivo.',
    },
    elsewhere: {
      heading: 'Configurar outro dispositivo',
      scan: 'Escaneie este código com a câmera do outro dispositivo ou digite o endereço:',
    },
  },
  privacy: {
    title: 'Aviso de privacidade',
    introduction:
      'Este aviso trata das páginas que o gateway mostra quando bloqueia uma solicitação, avisa ou pede concordância. Explica quais dados são tratados e o que fica guardado.',
    purpose: {
      heading: '1. Para que servem estas páginas',
      text: 'Um gateway verifica as solicitações web segundo regras. Quando uma regra se aplica, o navegador é enviado a este portal, que explica a decisão e, se a regra permitir, transmite a sua escolha ao gateway.',
    },
    processed: {
      heading: '2. O que é tratado para mostrar uma página',
      text: 'O endereço solicitado, a regra, a sua categoria e um número de referência chegam criptografados a este portal, dentro do endereço da página. São mostrados na página; a seção 3 explica o que fica guardado. O idioma da página depende das configurações do navegador. Ao continuar, o endereço IP do dispositivo e o código eventualmente digitado são transmitidos ao gateway; este portal nunca guarda o código.',
    },
    recorded: {
      heading: '3. O que fica guardado',
      log: 'De cada solicitação, este portal registra a hora, o tipo de página, a regra, o resultado e o número de referência, mas não o nome, o endereço IP nem o código.',
      logWithDestination:
        'De cada solicitação, este portal registra a hora, o tipo de página, a regra, o resultado e o número de referência e, nas decisões do gateway, o endereço solicitado, mas não o nome, o endereço IP nem o código.',
      acceptance:
        'Quando uma política é aceita, ficam registrados: o número de referência, a regra, a versão, o texto e o idioma da política, se o navegador a mostrou, a hora, o número e os resultados das solicitações ao gateway e a versão deste portal.',
      withoutAddress: 'O endereço IP do dispositivo não faz parte do registro.',
      withAddress: 'O endereço IP do dispositivo faz parte do registro.',
      gateway: {
        unknown:
          'O gateway mantém um registro próprio. Das solicitações que bloqueia e também das que permite, ele pode conter: a hora, o endereço IP do dispositivo, o nome de usuário, o site, a regra e o número de referência.',
        stopped:
          'De cada solicitação que bloqueia, e quando alguém decide continuar, o gateway registra a hora, o endereço IP do dispositivo, o nome de usuário, se conhecido, a regra e o número de referência, mas não o site.',
        stoppedWithSite:
          'De cada solicitação que bloqueia, o gateway registra a hora, o endereço IP do dispositivo, o nome de usuário, se conhecido, o site, a regra e o número de referência; quando alguém decide continuar, o mesmo sem o site.',
        every:
          'De cada solicitação, mesmo permitida, e quando alguém decide continuar, o gateway registra a hora, o endereço IP do dispositivo, o nome de usuário, se conhecido, a regra e o número de referência, mas não o site.',
        everyWithSite:
          'De cada solicitação, mesmo permitida, o gateway registra a hora, o endereço IP do dispositivo, o nome de usuário, se conhecido, o site, a regra e o número de referência; quando alguém decide continuar, o mesmo sem o site.',
      },
      journal: {
        withSite: (days: string) =>
          `O gateway também guarda um histórico por ${days}. De cada solicitação que bloqueia, e quando alguém decide continuar ou digita um código, o histórico contém a hora, o endereço IP do dispositivo, o nome de usuário e o grupo, se conhecidos, o site, a regra, sua categoria, sua lista e o número de referência.`,
        withoutSite: (days: string) =>
          `O gateway também guarda um histórico por ${days}. De cada solicitação que bloqueia, e quando alguém decide continuar ou digita um código, o histórico contém a hora, o endereço IP do dispositivo, o nome de usuário e o grupo, se conhecidos, a regra, sua categoria, sua lista e o número de referência, mas não o site.`,
        named: (days: string) =>
          `O endereço IP e o nome de usuário ficam nele por ${days}; depois, pseudônimos os substituem.`,
        pseudonyms: 'No lugar do endereço IP e do nome de usuário, ele contém pseudônimos.',
        unknown: 'O gateway também pode guardar os mesmos dados por algum tempo em um histórico.',
      },
      memory:
        'Até ser reiniciado, o gateway mantém na memória os endereços web completos das últimas solicitações que bloqueou.',
      session:
        'Enquanto é permitido continuar, ou enquanto um site está liberado em caráter excepcional, o gateway guarda essa informação com o endereço IP e o nome de usuário; ele também conta os códigos errados.',
      elsewhere: {
        unknown: 'Outras partes desta rede, como o proxy, podem manter registros próprios.',
        on: 'O proxy desta rede registra cada solicitação: a hora, o endereço IP do dispositivo, o nome de usuário, se conhecido, o site e o resultado, mas não o resto do endereço. Outras partes desta rede podem manter registros próprios.',
        off: 'O proxy desta rede não registra o que é acessado. Outras partes desta rede podem manter registros próprios.',
      },
    },
    device: {
      heading: '4. O que fica guardado no dispositivo',
      text: 'Ao escolher um idioma ou ao ser mostrada uma política, um cookie assinado guarda o idioma e qual política foi mostrada com qual número de referência. O cookie é apagado quando o navegador é fechado. A escolha do modo claro ou escuro fica no armazenamento do próprio navegador e não é enviada a lugar nenhum. Não há rastreamento nem conteúdo de terceiros.',
    },
    contact: {
      heading: '5. Os seus direitos e contato',
      text: (operator) =>
        html`Para saber quais dados seus estão registrados, pedir a sua correção ou exercer os demais direitos previstos na lei, fale com ${operator}, responsável por este gateway. O responsável também decide por quanto tempo os registros são guardados.`,
    },
  },
}
