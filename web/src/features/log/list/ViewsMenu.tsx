import { Button, Group, Popover, Stack, TextInput } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { ToolButton } from '../../../components/display/ToolButton.tsx';
import { Popup } from '../../../components/layout/Popup.tsx';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { parseViews, type SavedView, viewQuery, withoutView, withView } from './saved-views.ts';

/** Saved filters of the user, stored in this browser. */
export function ViewsMenu() {
  const { t } = useTranslation();
  const [text, setText] = useStored(STORED.logViews);
  const [query, setQuery] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const views = parseViews(text);
  const keep = (next: readonly SavedView[]) => setText(JSON.stringify(next));
  const save = (event: React.FormEvent) => {
    // The popover is inside the form of the filter bar.
    event.preventDefault();
    event.stopPropagation();
    if (name.trim() === '') return;
    keep(withView(views, { name: name.trim(), query: viewQuery(query) }));
    setName('');
  };
  return (
    <Popup isOpen={isOpen} onClose={() => setOpen(false)} width={280}>
      <Popover.Target>
        <SideButton icon={IconBookmark} label={t('log.views')} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {views.length === 0 && <Dimmed size="sm">{t('log.views.none')}</Dimmed>}
          {views.map((view) => (
            <Group key={view.name} gap={4} wrap="nowrap">
              <Button
                variant="subtle"
                color="gray"
                justify="flex-start"
                flex={1}
                miw={0}
                onClick={() => {
                  setQuery(new URLSearchParams(view.query));
                  setOpen(false);
                }}
              >
                {view.name}
              </Button>
              <ToolButton
                size="md"
                label={t('log.views.delete', { name: view.name })}
                onClick={() => keep(withoutView(views, view.name))}
                icon={IconTrash}
              />
            </Group>
          ))}
          <form onSubmit={save}>
            <Group wrap="nowrap" align="flex-end">
              <TextInput
                flex={1}
                maxLength={40}
                label={t('log.views.name')}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <Button type="submit" disabled={name.trim() === ''}>
                {t('action.save')}
              </Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popup>
  );
}
