// `report`: what was stopped in a period, and what may stop too much.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { MAXIMUM_TOP, type Report } from '../../contract/report.ts'
import type { Environment } from '../../settings/reading.ts'
import { BRAND_PALETTE, type Palette } from '../../settings/sections/operator.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { portalVariables } from '../deployment/portal-variables.ts'
import { callEngine } from '../engine/client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from '../engine/connection.ts'
import { fileOutput, streamOutput } from '../files/output.ts'
import { printableJson } from '../terminal/printable.ts'
import { reportCsv } from './csv.ts'
import { createFormats } from './page/formats.ts'
import { LANGUAGES, type Language } from './page/i18n/catalogue.ts'
import { en } from './page/i18n/en.ts'
import { missingIn, missingInCauses } from './page/missing.ts'
import { reportPage } from './page/page.ts'
import { PERIOD_HELP, parsePeriodEnd } from './period-argument.ts'
import { reportText } from './text.ts'

interface ReportOptions extends EngineOptions {
  readonly since: string
  readonly until?: string
  readonly html?: string
  readonly csv?: true
  readonly lang: Language
  readonly people?: true
  readonly top: number
}

/** The engine sums up millions of rows: each of its statements may take 30. */
const SECONDS = 120

export function reportCommand(context: Context): Command {
  const parseEnd = (text: string) => parsePeriodEnd(text, context)
  const command = createCommand(context, 'report', {
    purpose: 'Sums up what was stopped in a period, and what may stop too much.',
    details: `
From the engine's journal (docs/journal.md). It names no person without
--people. The page of --html has charts, and loads nothing: it can be mailed and
printed. Its colours and the operator's name are those of the portal's pages;
only you can read the file. In CSV, an apostrophe precedes what a spreadsheet
would read as a formula.
${PERIOD_HELP}
${ENGINE}`,
    examples: [
      'gatewayctl report --since 7d',
      'gatewayctl report --since 2026-11-01 --until 2026-12-01 --html november.html --lang de',
      "gatewayctl report --since 2w --json | jq '.over_blocking.lists[0]'",
    ],
  })
    .addOption(new Option('--since <time>', 'from then on').argParser(parseEnd).default('P7D', '7d'))
    .addOption(new Option('--until <time>', 'until then, instead of now').argParser(parseEnd))
    .addOption(new Option('--html <file>', 'write a page to this file').conflicts(['csv', 'json']))
    .addOption(new Option('--csv', 'print CSV, a line for each number').conflicts(['json']))
    .addOption(new Option('--lang <language>', 'the language of the page').choices(LANGUAGES).default('en'))
    .addOption(new Option('--people', 'name users, clients and groups, too'))
    .addOption(new Option('--top <count>', 'how many entries each table has').argParser(parseTop).default(20))
  return withEngineOptions(command).action(async (options: ReportOptions) => {
    const { since, until, people, top } = options
    const connection = await findEngine(context, options)
    const report = await callEngine(connection, 'report', { since, until, people, top }, SECONDS)
    await print(context, report, options)
  })
}

async function print(
  context: Context,
  report: Report,
  { html, csv, json, lang: language }: ReportOptions,
): Promise<void> {
  if (html !== undefined) {
    const { palette, organisation } = brandOf(portalVariables(context.env))
    const output = await fileOutput(html)
    await output.write(reportPage(report, { language, palette, organisation }).toString())
    await output.finish()
  } else if (json) {
    context.stdout.write(`${printableJson(report, 2)}\n`)
  } else {
    if (csv) await streamOutput(context.stdout).write(reportCsv(report))
    else context.stdout.write(reportText(context, report))
    const formats = createFormats('en', report.period.timezone)
    const missing = missingIn(report, en, formats)
    for (const text of csv ? [...missing, ...missingInCauses(report, en, formats)] : missing) {
      context.stderr.write(`${text}\n`)
    }
  }
}

function brandOf(env: Environment): { readonly palette: Palette; readonly organisation: string | undefined } {
  const palette = env.GATEWAY_CAPTIVE_BRAND_PALETTE?.trim() || env.BRAND_PALETTE?.trim()
  return { palette: BRAND_PALETTE.shape.parse(palette), organisation: env.GATEWAY_ORG_NAME?.trim() || undefined }
}

function parseTop(text: string): number {
  const top = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  if (!(top >= 1 && top <= MAXIMUM_TOP)) throw new InvalidArgumentError(`It must be a number from 1 to ${MAXIMUM_TOP}.`)
  return top
}
