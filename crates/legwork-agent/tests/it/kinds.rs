//! Texts of many kinds, of which some cost a model far more than their length suggests.

/// How many words or records a text is made of.
const LENGTH: usize = 3_000;

/// Words of languages as their people write them; the same words in another order each time.
const LANGUAGES: &[(&str, &str)] = &[
    (
        "English",
        "the price of every item in this list was checked again before the order left our warehouse",
    ),
    (
        "German",
        "Lieferbedingungen Rückgabe Größe wählen Warenkorb Zahlungsmöglichkeiten und Verfügbarkeit prüfen",
    ),
    ("Russian", "цена каждого товара была проверена перед отправкой заказа со склада сегодня"),
    ("Greek", "η τιμή κάθε προϊόντος ελέγχθηκε πριν από την αποστολή της παραγγελίας"),
    ("Arabic", "تم التحقق من سعر كل منتج قبل إرسال الطلب من المستودع اليوم"),
    ("Hebrew", "המחיר של כל פריט נבדק שוב לפני שההזמנה נשלחה מהמחסן"),
    ("Chinese", "我们 今天 去 商店 买了 一些 东西 每件 商品 的 价格 都 经过 检查 龘 籲 虋"),
    ("Japanese", "今日 は 店 で いくつか の 商品 を 買いました カート に 追加 する 価格 確認"),
    ("Korean", "오늘 가게에서 몇 가지 상품을 샀습니다 장바구니에 담기 가격 확인"),
    ("Thai", "ราคา สินค้า ทุกชิ้น ได้รับการ ตรวจสอบ ก่อน จัดส่ง คำสั่งซื้อ ๙๙๙ บาท"),
    ("Hindi", "आज हमने दुकान से कुछ सामान खरीदा हर वस्तु की कीमत जाँची गई"),
    ("Bengali", "আজ আমরা দোকান থেকে কিছু জিনিস কিনেছি প্রতিটি পণ্যের দাম যাচাই"),
    ("Tamil", "இன்று கடையில் சில பொருட்களை வாங்கினோம் ஒவ்வொரு பொருளின் விலையும்"),
    ("Georgian", "დღეს მაღაზიაში რამდენიმე ნივთი ვიყიდეთ ყველა საქონლის ფასი შემოწმდა"),
    ("Burmese", "ယနေ့ ဆိုင်မှ ပစ္စည်း အချို့ ဝယ်ခဲ့သည် ဈေးနှုန်း စစ်ဆေး"),
    ("Khmer", "ថ្ងៃនេះ យើង បាន ទិញ ទំនិញ ខ្លះ ពី ហាង តម្លៃ ត្រូវបាន ពិនិត្យ"),
    ("Amharic", "ዛሬ ከሱቅ አንዳንድ ዕቃዎችን ገዛን የእያንዳንዱ ዕቃ ዋጋ ተረጋግጧል"),
    ("Tibetan", "དེ་རིང་ ང་ཚོས་ ཚོང་ཁང་ ནས་ ཅ་ལག་ ཁ་ཤས་ ཉོས་པ་ཡིན།"),
    ("emoji", "🧑🏽‍🚀 🦩 🪬 🫠 🛒 ✅ 👩‍👩‍👧 🇩🇪"),
];

/// Texts by what they are, each of several thousand tokens.
pub fn kinds() -> Vec<(&'static str, String)> {
    let mut chance = Chance(7);
    let mut kinds: Vec<_> = LANGUAGES
        .iter()
        .map(|(name, sentence)| {
            let words: Vec<&str> = sentence.split(' ').collect();
            let chosen = (0..LENGTH).map(|_| words[chance.below(words.len())]);
            (*name, chosen.collect::<Vec<_>>().join(" "))
        })
        .collect();
    type Record = fn(&mut Chance) -> String;
    let records: [(&str, Record); 6] = [
        ("compact JSON", |chance| {
            let (id, price) = (chance.next() % 1_000_000, chance.below(9_999));
            let key = chance.letters(b"abcdefghij", 3);
            format!(
                r#"{{"id":{id},"sku":"{key}-{price}","ok":true,"p":{{"v":{price}.5,"c":"EUR"}},"t":["{key}",null]}},"#
            )
        }),
        ("base64", |chance| chance.letters(BASE64, 76)),
        ("hex digests", |chance| format!("{:016x}{:016x},", chance.next(), chance.next())),
        ("UUIDs", |chance| {
            let (a, b) = (chance.next(), chance.next());
            format!(
                "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x} ",
                a as u32,
                a >> 48,
                b & 0xFFF,
                b >> 52,
                b >> 16
            )
        }),
        ("addresses", |chance| {
            let (id, token) = (chance.below(99_999), chance.letters(BASE64, 12));
            format!("https://shop.example/p/{id}?utm_source=mail&sig={token}%3D%3D&w=640#r{id}\n")
        }),
        ("small script", |chance| {
            let name = chance.letters(b"abcdefxyz", 2);
            format!(
                "!function(t,e){{for(var {name}=0;{name}<t.length;{name}++)e[t[{name}]]&&n(t[{name}],!0)}}(a,b);"
            )
        }),
    ];
    for (name, record) in records {
        kinds.push((name, (0..LENGTH / 10).map(|_| record(&mut chance)).collect()));
    }
    kinds
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Numbers that look like chance, and are the same each time: xorshift64.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn letters(&mut self, from: &[u8], length: usize) -> String {
        (0..length).map(|_| char::from(from[self.below(from.len())])).collect()
    }
}
