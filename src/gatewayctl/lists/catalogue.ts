// Published lists that can be added by name. None is shipped or downloaded: each is an address, with what a school decides by.

export interface PublishedList {
  /** `ut1/adult`: the publisher and its own name of the list. */
  readonly name: string
  /** What it has, in a few words; shown to visitors as the rule's category. */
  readonly about: string
  readonly publisher: string
  /** An SPDX identifier. */
  readonly licence: string
  /** About how many; of 2025. */
  readonly names: number
  readonly address: string
}

/**
 * https://dsi.ut-capitole.fr/blacklists/index_en.php; an archive per category, with `CATEGORY/domains` and `CATEGORY/urls`, which an
 * update writes into one text: it can be searched, and no load unpacks it. Numbers of names are those of https://github.com/olbat/ut1-blacklists, a mirror. Without the categories that are no reason to stop anybody.
 */
const UT1: readonly (readonly [category: string, about: string, names: number])[] = [
  ['adult', 'Adult content', 4_660_000],
  ['agressif', 'Hate and violence', 400],
  ['ai', 'Artificial intelligence', 75],
  ['audio-video', 'Audio and video', 3_900],
  ['blog', 'Blogs', 1_500],
  ['celebrity', 'Celebrities', 670],
  ['chat', 'Chat', 290],
  ['cryptojacking', 'Hidden mining', 16_000],
  ['dangerous_material', 'Weapons and explosives', 55],
  ['dating', 'Dating', 6_500],
  ['ddos', 'Attacks on servers', 420],
  ['doh', 'DNS over HTTPS', 3_000],
  ['download', 'Software downloads', 4_000],
  ['drogue', 'Drugs', 1_100],
  ['filehosting', 'File hosting', 900],
  ['forums', 'Forums', 210],
  ['gambling', 'Gambling', 1_300],
  ['games', 'Games', 12_000],
  ['hacking', 'Hacking', 300],
  ['lingerie', 'Lingerie', 85],
  ['malware', 'Malware', 63_000],
  ['manga', 'Manga and comics', 830],
  ['mixed_adult', 'Sites with a part for adults', 150],
  ['phishing', 'Phishing', 63_000],
  ['publicite', 'Advertising', 4_000],
  ['radio', 'Internet radio', 520],
  ['redirector', 'Proxies around filters', 130_000],
  ['remote-control', 'Remote control', 50],
  ['sect', 'Sects', 140],
  ['shopping', 'Shopping', 37_000],
  ['shortener', 'Short links', 360],
  ['social_networks', 'Social networks', 680],
  ['sports', 'Sports', 2_300],
  ['stalkerware', 'Stalkerware', 22],
  ['tricheur', 'Cheating in exams', 53],
  ['vpn', 'VPN', 1_500],
  ['warez', 'Illegal copies', 1_300],
  ['webmail', 'Web mail', 410],
]

/** https://github.com/StevenBlack/hosts, with numbers of its readme; the folder below `alternates`, or the base list. */
const STEVEN_BLACK: readonly (readonly [name: string, about: string, names: number, path: string])[] = [
  ['unified', 'Advertising and malware', 135_000, 'hosts'],
  ['fakenews', 'Fake news', 2_200, 'alternates/fakenews-only/hosts'],
  ['gambling', 'Gambling', 6_500, 'alternates/gambling-only/hosts'],
  ['porn', 'Adult content', 75_000, 'alternates/porn-only/hosts'],
  ['social', 'Social networks', 3_200, 'alternates/social-only/hosts'],
]

/** https://github.com/hagezi/dns-blocklists; names of which each covers what is below it: `wildcard/FILE-onlydomains.txt`. */
const HAGEZI: readonly (readonly [name: string, about: string, names: number])[] = [
  ['light', 'Advertising and tracking', 68_000],
  ['multi', 'Advertising, tracking and malware', 143_000],
  ['pro', 'Advertising, tracking and malware', 159_000],
  ['tif', 'Malware and phishing', 615_000],
  ['tif.medium', 'Malware and phishing', 184_000],
  ['fake', 'Scams', 15_000],
  ['popupads', 'Pop-up advertising', 50_000],
  ['doh-vpn-proxy-bypass', 'Ways around filters', 3_100],
  ['nosafesearch', 'Search without SafeSearch', 200],
  ['nsfw', 'Adult content', 68_000],
  ['gambling', 'Gambling', 190_000],
  ['social', 'Social networks', 1_000],
  ['anti.piracy', 'Illegal copies', 11_000],
  ['urlshortener', 'Short links', 10_000],
]

const RAW = 'https://raw.githubusercontent.com'

export const CATALOGUE: readonly PublishedList[] = [
  ...UT1.map(([category, about, names]) => ({
    ...{ name: `ut1/${category}`, about, names },
    ...{ publisher: 'Université Toulouse Capitole', licence: 'CC-BY-SA-4.0' },
    address: `https://dsi.ut-capitole.fr/blacklists/download/${category}.tar.gz`,
  })),
  ...STEVEN_BLACK.map(([name, about, names, path]) => ({
    ...{ name: `stevenblack/${name}`, about, names },
    ...{ publisher: 'Steven Black', licence: 'MIT' },
    address: `${RAW}/StevenBlack/hosts/master/${path}`,
  })),
  ...HAGEZI.map(([name, about, names]) => ({
    ...{ name: `hagezi/${name}`, about, names },
    ...{ publisher: 'hagezi', licence: 'GPL-3.0-only' },
    address: `${RAW}/hagezi/dns-blocklists/main/wildcard/${name}-onlydomains.txt`,
  })),
]

/** The name of its file in the folder of lists. */
export function fileName({ name }: Pick<PublishedList, 'name'>): string {
  return `${name.replace('/', '-')}.txt`
}
