import { Group, Textarea } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { buildWordAutomaton } from '../../../../../src/domain/text/word-automaton.ts';
import { StateTag } from '../../../components/display/StatusBadge.tsx';
import { useSettings } from '../sections/settings-store.ts';

/** Tests the words in the field. Patterns need the server's regex engine. */
export function WordTester() {
  const { t } = useTranslation();
  const { text } = useSettings();
  const [sample, setSample] = useState('');
  const list = text('SensitiveWords');
  const words = useMemo(() => {
    const lines = list.split(/\r?\n/).map((line) => line.trim());
    return buildWordAutomaton(lines.filter((line) => line !== '' && !line.startsWith('regex:')));
  }, [list]);
  const word = words.find(sample);
  return (
    <>
      <Textarea
        mt="md"
        label={t('setting.words.test')}
        description={t('setting.words.testHint')}
        minRows={2}
        maxRows={6}
        value={sample}
        onChange={(event) => setSample(event.currentTarget.value)}
      />
      <Group gap="md" mt={6} mih={24} role="status">
        {sample !== '' &&
          (word === undefined ? (
            <StateTag tone="green">{t('setting.words.miss')}</StateTag>
          ) : (
            <StateTag tone="red" shape="warning">
              {t('setting.words.hit', { word })}
            </StateTag>
          ))}
      </Group>
    </>
  );
}
