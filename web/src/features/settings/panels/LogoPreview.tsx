import { FileButton, Group, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import classes from '../Settings.module.css';
import { useSettings } from '../sections/settings-store.ts';

const LARGEST_BYTES = 100 * 1024;

/** The logo on light and dark backgrounds, and an upload from a file. */
export function LogoPreview() {
  const { t } = useTranslation();
  const { text, change } = useSettings();
  const logo = text('Logo');
  const take = (file: File | null) => {
    if (file === null) return;
    if (file.size > LARGEST_BYTES) return toast.error(t('setting.logo.tooLarge'));
    const reader = new FileReader();
    reader.onload = () => change('Logo', String(reader.result));
    reader.readAsDataURL(file);
  };
  return (
    <Group mt="md" gap="md" align="flex-end">
      {logo !== '' && (
        <>
          <Ground ground="light" logo={logo} name={t('setting.logo.onLight')} />
          <Ground ground="dark" logo={logo} name={t('setting.logo.onDark')} />
        </>
      )}
      <FileButton accept="image/*" onChange={take}>
        {(props) => <SideButton {...props} label={t('setting.logo.drop')} />}
      </FileButton>
    </Group>
  );
}

interface GroundProps {
  readonly ground: 'light' | 'dark';
  readonly logo: string;
  readonly name: string;
}

function Ground({ ground, logo, name }: GroundProps) {
  return (
    <Stack gap={4}>
      <div className={classes.logo} data-ground={ground}>
        <img src={logo} alt={name} />
      </div>
      <Dimmed>{name}</Dimmed>
    </Stack>
  );
}
