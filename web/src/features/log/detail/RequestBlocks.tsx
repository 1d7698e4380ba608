import { Anchor, Stack, Text, Timeline, Title } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LOG_TYPE } from '../../../../../src/domain/logs/log-types.ts';
import { CopyText } from '../../../components/display/copy.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { Facts } from '../../../components/display/Facts.tsx';
import { linkTo } from '../../../lib/browser/page-links.ts';
import { durationText } from '../../../lib/text/dates.ts';
import type { LogEntry } from '../calls.ts';
import { attemptsOf, countsText, imagesOf, mappedModel } from '../facts.ts';
import classes from '../Log.module.css';
import { timingOf } from '../timing.ts';

export function Block({
  title,
  children,
  isWide = false,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}) {
  return (
    <section className={isWide ? classes.wide : undefined}>
      <Title order={2} fz={14} mb={8}>
        {title}
      </Title>
      {children}
    </section>
  );
}

/** The request, the channel that answered it, and the error. */
export function RequestBlock({ entry }: { readonly entry: LogEntry }) {
  const { t } = useTranslation();
  const { facts } = entry;
  const upstream = mappedModel(facts);
  const shown: ComponentProps<typeof Facts>['facts'] = [
    [t('log.field.request'), entry.request_id !== '' && <CopyText text={entry.request_id} />],
    [t('common.endpoint'), facts.endpoint || facts.request_path],
    [t('common.model'), upstream === '' ? entry.model_name : `${entry.model_name} → ${upstream}`],
    [
      t('log.stream'),
      entry.model_name !== '' && t(entry.is_stream ? 'log.stream.yes' : 'log.stream.no'),
    ],
    [t('log.effort'), facts.reasoning_effort],
    [t('log.images'), imagesOf(facts)],
    [t('log.field.ip'), entry.client_ip],
    [t('log.source'), sourceText(t, entry)],
    [t('log.ending'), endingText(t, facts.ending ?? '')],
    [t('log.overAllowed'), facts.over_allowed],
    [t('log.disbelieved'), countsText(facts.disbelieved_usage)],
    [t('log.error.type'), facts.error_type],
    [t('log.error.code'), facts.error_code],
    [t('log.error.status'), facts.status_code],
    [t(entry.type === LOG_TYPE.error ? 'log.error.message' : 'log.content'), entry.content],
  ];
  return (
    <Block title={t('common.request')}>
      <Facts facts={shown} />
      {entry.type === LOG_TYPE.error && entry.model_name !== '' && (
        <Anchor
          component={Link}
          mt={8}
          display="inline-block"
          to={linkTo('/playground', { model: entry.model_name })}
        >
          {t('log.error.retry')}
        </Anchor>
      )}
    </Block>
  );
}

function sourceText(t: TFunction, { usage_source: source }: LogEntry): string {
  return source === 'upstream' || source === 'estimated' ? t(`log.source.${source}`) : source;
}

const ENDINGS = ['answered', 'upstream_broke', 'client_left'] as const;

function endingText(t: TFunction, ending: string): string {
  const known = ENDINGS.find((one) => one === ending);
  return known === undefined ? ending : t(`log.ending.${known}`);
}

const PARTS = ['retry', 'wait', 'generate'] as const;

/** A breakdown of the duration. */
export function TimingBlock({ entry }: { readonly entry: LogEntry }) {
  const { t } = useTranslation();
  const timing = timingOf(entry);
  if (timing.totalMs === 0) return null;
  const ms = { retry: timing.retryMs, wait: timing.waitMs, generate: timing.generateMs };
  const shown = PARTS.filter((part) => ms[part] > 0);
  return (
    <Block title={t('log.timing')}>
      <Stack gap={8}>
        <div className={classes.timeline} aria-hidden>
          {shown.map((part) => (
            <span key={part} data-part={part} style={{ flexGrow: ms[part] }} />
          ))}
        </div>
        <div className={classes.key}>
          {shown.map((part) => (
            <span key={part}>
              <i data-part={part} aria-hidden />
              {t(entry.is_stream || part !== 'wait' ? `log.timing.${part}` : 'log.timing.answer')}{' '}
              {durationText(ms[part])}
            </span>
          ))}
          <span>
            {t('log.timing.total')} {durationText(timing.totalMs)}
          </span>
          {timing.tokensPerSec !== undefined && (
            <span>{t('log.timing.rate', { rate: timing.tokensPerSec.toFixed(1) })}</span>
          )}
        </div>
      </Stack>
    </Block>
  );
}

/** Every channel tried, in order; administrators only, as the server sends it to no one else. */
export function AttemptsBlock({ entry }: { readonly entry: LogEntry }) {
  const { t } = useTranslation();
  const attempts = attemptsOf(entry.facts);
  if (attempts.length < 2 && (attempts[0]?.code ?? '') === '') return null;
  return (
    <Block title={t('log.attempts')}>
      <Timeline bulletSize={14} lineWidth={2} active={attempts.length}>
        {attempts.map((attempt, index) => (
          <Timeline.Item
            key={index}
            color={attempt.code === '' ? 'success' : 'danger'}
            title={
              <Text fw={500}>
                #{attempt.channelId} {attempt.channelName} · {durationText(attempt.ms)}
              </Text>
            }
          >
            <Dimmed style={{ overflowWrap: 'anywhere' }}>
              {attempt.code === ''
                ? t('log.attempt.ok')
                : [attempt.status || '', attempt.code, attempt.message].filter(Boolean).join(' · ')}
            </Dimmed>
          </Timeline.Item>
        ))}
      </Timeline>
    </Block>
  );
}
