import { Box, ScrollArea, Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../display/copy.tsx';
import { maskSecret } from '../display/SecretText.tsx';
import classes from './SnippetTabs.module.css';

export interface Snippet {
  readonly key: string;
  /** "curl", "Python", "Claude Code". */
  readonly name: string;
  readonly code: string;
}

interface SnippetTabsProps {
  readonly snippets: readonly Snippet[];
  /** Masked on screen; copies have it in full. */
  readonly secret?: string;
}

/** Code snippets, one tab per client or language. */
export function SnippetTabs({ snippets, secret = '' }: SnippetTabsProps) {
  const { t } = useTranslation();
  return (
    <Tabs defaultValue={snippets[0]?.key ?? null} keepMounted={false} variant="pills">
      <Tabs.List className={classes.list ?? ''}>
        {snippets.map(({ key, name }) => (
          <Tabs.Tab key={key} value={key}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ key, name, code }) => (
        <Tabs.Panel key={key} value={key}>
          <Box className={classes.panel}>
            <ScrollArea viewportProps={{ tabIndex: 0, 'aria-label': name }}>
              <pre className={classes.code}>
                {secret === '' ? code : code.replaceAll(secret, maskSecret(secret))}
              </pre>
            </ScrollArea>
            <div className={classes.copy}>
              <CopyButton text={code} label={t('part.snippet.copy', { name })} />
            </div>
          </Box>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
