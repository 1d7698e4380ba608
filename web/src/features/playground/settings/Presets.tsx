import { Button, Group, Popover, Stack, TextInput } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { ToolButton } from '../../../components/display/ToolButton.tsx';
import { Popup } from '../../../components/layout/Popup.tsx';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { type Preset, presetsIn } from '../history/saved-conversations.ts';
import type { SettingsState } from './usePlaygroundSettings.ts';

const MAX_NAME = 40;

/** Named settings, stored in this browser. */
export function Presets({ settings }: { readonly settings: SettingsState }) {
  const { t } = useTranslation();
  const [text, setText] = useStored(STORED.playgroundPresets);
  const [name, setName] = useState('');
  const presets = presetsIn(text);
  const keep = (next: readonly Preset[]) => setText(JSON.stringify(next));
  const save = (event: React.FormEvent) => {
    event.preventDefault();
    const own = name.trim();
    if (own === '') return;
    const others = presets.filter((preset) => preset.name !== own);
    keep([...others, { name: own, settings: settings.value }]);
    setName('');
  };
  return (
    <form onSubmit={save}>
      <Group align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          label={t('playground.presets')}
          placeholder={t('common.name')}
          maxLength={MAX_NAME}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SideButton type="submit" disabled={name.trim() === ''} label={t('action.save')} />
        <Pick
          presets={presets}
          onPick={({ settings: own }) => settings.change(own)}
          onRemove={(preset) => keep(presets.filter((one) => one !== preset))}
        />
      </Group>
    </form>
  );
}

interface PickProps {
  readonly presets: readonly Preset[];
  readonly onPick: (preset: Preset) => void;
  readonly onRemove: (preset: Preset) => void;
}

function Pick({ presets, onPick, onRemove }: PickProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const label = t('playground.preset.pick');
  return (
    <Popup isOpen={isOpen && presets.length > 0} onClose={() => setOpen(false)}>
      <Popover.Target>
        <ToolButton
          size="var(--control)"
          variant="default"
          label={label}
          disabled={presets.length === 0}
          onClick={() => setOpen(!isOpen)}
          icon={IconBookmark}
        />
      </Popover.Target>
      <Popover.Dropdown p={6} maw={320} aria-label={label}>
        <Stack gap={2}>
          {presets.map((preset) => (
            <Group key={preset.name} gap={4} wrap="nowrap" justify="space-between">
              <Button
                variant="subtle"
                color="gray"
                justify="flex-start"
                flex={1}
                miw={0}
                onClick={() => {
                  onPick(preset);
                  setOpen(false);
                }}
              >
                {preset.name}
              </Button>
              <ToolButton
                size="md"
                label={t('playground.preset.remove', { name: preset.name })}
                onClick={() => onRemove(preset)}
                icon={IconTrash}
              />
            </Group>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popup>
  );
}
