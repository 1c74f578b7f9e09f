<?php
// Opens the payload, as the portal's protocol has it, and prints a page of the portal's size with what it says.
require __DIR__ . '/template.php';

function opened(string $p, string $key): array
{
    [$header, , $iv, $ciphertext, $tag] = explode('.', $p);
    $bytes = fn (string $text): string => base64_decode(strtr($text, '-_', '+/'), true);
    $plaintext = openssl_decrypt($bytes($ciphertext), 'aes-256-gcm', $key, OPENSSL_RAW_DATA, $bytes($iv), $bytes($tag), $header);
    if ($plaintext === false) {
        http_response_code(403);
        exit;
    }
    return json_decode($plaintext, true, 4, JSON_THROW_ON_ERROR);
}

$claims = opened($_GET['p'], hex2bin(KEY));
$shown = '';
foreach (['destination', 'rule_name', 'rule_description', 'category', 'jti'] as $name) {
    $shown .= '<dt>' . $name . '</dt><dd>' . htmlspecialchars($claims[$name] ?? '') . '</dd>';
}
$page = BEFORE . $shown . AFTER;
header('Content-Type: text/html; charset=utf-8');
header('Content-Length: ' . strlen($page));
echo $page;
