import { Anchor, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../components/display/copy.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { type LogEntry, readLog } from '../calls.ts';
import { chatMessages, inputText } from '../facts.ts';
import classes from '../Log.module.css';
import { PriceTable } from './PriceTable.tsx';
import { AttemptsBlock, Block, RequestBlock, TimingBlock } from './RequestBlocks.tsx';

/** All details of one log entry, in blocks; an entry without a price or messages has fewer. */
export function LogDetail({ entry }: { readonly entry: LogEntry }) {
  const { t } = useTranslation();
  const { model_ratio, model_price } = entry.facts;
  const hasPrice = model_ratio !== undefined || model_price !== undefined;
  return (
    <div className={classes.blocks}>
      <div className={classes.column}>
        <RequestBlock entry={entry} />
        <AttemptsBlock entry={entry} />
      </div>
      <div className={classes.column}>
        <TimingBlock entry={entry} />
        {hasPrice && (
          <Block title={t('log.price')}>
            <PriceTable entry={entry} />
          </Block>
        )}
      </div>
      <ContentBlock entry={entry} />
    </div>
  );
}

interface ExpandedProps {
  readonly entry: LogEntry;
  readonly isAdmin: boolean;
}

/** Details below a row: the list's entry at first, the complete one once loaded. */
export function ExpandedLog({ entry, isAdmin }: ExpandedProps) {
  const whole = useQuery({
    queryKey: logKeys.one(entry.id),
    queryFn: ({ signal }) => readLog(isAdmin, entry.id, signal),
    enabled: entry.facts.is_cut === true,
  });
  return (
    <div className={classes.expanded}>
      <LogDetail entry={whole.data ?? entry} />
    </div>
  );
}

/** Longer text is collapsed. */
const LONG_CHARACTERS = 600;
const LONG_LINES = 8;

/** The request's messages, if the site stores them. */
function ContentBlock({ entry }: { readonly entry: LogEntry }) {
  const { t } = useTranslation();
  const { facts } = entry;
  const { system_prompt: system = '', output_content: output = '' } = facts;
  const context = chatMessages(facts.context ?? '');
  const input = inputText(facts.input_content ?? '');
  if (system === '' && context.length === 0 && input === '' && output === '') return null;
  return (
    <Block title={t('log.messages')} isWide>
      <Stack gap={8}>
        <Content by="system" name={t('common.systemPrompt')} text={system} />
        {context.map(({ role, text }, index) => (
          <Content
            key={index}
            by={role}
            name={role === '' ? t('log.content.context') : role}
            text={text}
          />
        ))}
        <Content by="user" name={t('rate.kind.input')} text={input} />
        <Content by="assistant" name={t('rate.kind.output')} text={output} />
      </Stack>
    </Block>
  );
}

interface ContentProps {
  readonly by: string;
  readonly name: string;
  readonly text: string;
}

function Content({ by, name, text }: ContentProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  if (text === '') return null;
  const isLong = text.length > LONG_CHARACTERS || text.split('\n').length > LONG_LINES;
  const isClamped = isLong && !isOpen;
  return (
    <div>
      <Group gap={4} mb={2}>
        <Dimmed>{name}</Dimmed>
        <CopyButton text={text} label={t('log.content.copy', { name })} />
      </Group>
      <div className={classes.bubble} data-by={by} data-clamped={isClamped || undefined}>
        {text}
      </div>
      {isLong && (
        <Anchor
          component="button"
          type="button"
          size="xs"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t(isOpen ? 'log.content.less' : 'log.content.more')}
        </Anchor>
      )}
    </div>
  );
}
