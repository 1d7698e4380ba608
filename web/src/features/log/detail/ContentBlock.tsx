import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../components/display/copy.tsx';
import type { LogLine } from '../calls.ts';
import { bubblesOf, factsOf, inputText, textFact } from '../facts.ts';
import classes from '../Log.module.css';
import { Block } from './RequestBlocks.tsx';

/** Longer text is collapsed. */
const LONG_CHARACTERS = 600;
const LONG_LINES = 8;

/** The request's messages, if the site stores them. */
export function ContentBlock({ line }: { readonly line: LogLine }) {
  const { t } = useTranslation();
  const facts = factsOf(line.other);
  const system = textFact(facts, 'system_prompt');
  const context = bubblesOf(textFact(facts, 'context'));
  const input = inputText(textFact(facts, 'input_content'));
  const output = textFact(facts, 'output_content');
  if (system === '' && context.length === 0 && input === '' && output === '') return null;
  return (
    <Block title={t('log.messages')} isWide>
      <Stack gap={8}>
        <Said by="system" name={t('log.said.system')} text={system} />
        {context.map(({ role, text }, place) => (
          <Said
            key={place}
            by={role}
            name={role === '' ? t('log.said.context') : role}
            text={text}
          />
        ))}
        <Said by="user" name={t('log.said.input')} text={input} />
        <Said by="assistant" name={t('log.said.output')} text={output} />
      </Stack>
    </Block>
  );
}

interface SaidProps {
  readonly by: string;
  readonly name: string;
  readonly text: string;
}

function Said({ by, name, text }: SaidProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  if (text === '') return null;
  const isLong = text.length > LONG_CHARACTERS || text.split('\n').length > LONG_LINES;
  const isClamped = isLong && !isOpen;
  return (
    <div>
      <Group gap={4} mb={2}>
        <Text size="xs" c="dimmed">
          {name}
        </Text>
        <CopyButton text={text} label={t('log.said.copy', { name })} />
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
          {t(isOpen ? 'log.said.less' : 'log.said.more')}
        </Anchor>
      )}
    </div>
  );
}
